Decl lease(S) temporal bound [/name].
lease(/a)@[2024-06-01, 2024-06-08].
safe(S) :- [+[0d, 2weeks] lease(S).
