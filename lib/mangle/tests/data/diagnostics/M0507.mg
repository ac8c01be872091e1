Decl up(S) temporal bound [/name].
up(/a)@[2024-01-01, 2024-02-01].
steady(S) :- [-[7d, 1d] up(S).
