Decl plan(S) temporal bound [/name].
plan(/a)@[2024-06-08, 2024-06-09]. plan(/b)@[2024-06-08T00:00:00.000000001, 2024-06-09]. plan(/c)@[2024-05-01, 2024-05-31].
soon(S) :- <+[0d, 7d] plan(S).
