Decl up(S) temporal bound [/name].
up(/a)@[2024-05-25].
steady(S) :- [-[0d, 7d up(S).
