Decl lease(S) temporal bound [/name].
lease(/a)@[2024-06-01, 2024-06-08]. lease(/b)@[2024-06-01, 2024-06-07]. lease(/c)@[2024-06-01T00:00:01, 2024-07-01].
safe(S) :- [+[0d, 7d] lease(S).
