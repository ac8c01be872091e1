Decl up(S) temporal bound [/name].
up(/a)@[2024-01-01].
live(S) :- up(S).
