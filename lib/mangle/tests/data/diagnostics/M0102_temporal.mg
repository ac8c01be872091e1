Decl active(User) temporal bound [/name].
active(/ann)@[2024-01-01].
recent(X) :- <-[0d, 30d] activ(X).
when(X, S) :- activ(X)@[S, _].
