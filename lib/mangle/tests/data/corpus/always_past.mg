Decl up(S) temporal bound [/name].
up(/a)@[2024-05-25, 2024-06-01]. up(/b)@[2024-05-26, 2024-06-01]. up(/c)@[2024-01-01, 2024-05-31].
steady(S) :- [-[0d, 7d] up(S).
earlier(S) :- [-[1d, 7d] up(S).
