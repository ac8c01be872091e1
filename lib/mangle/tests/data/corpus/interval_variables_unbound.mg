Decl stay(Who) temporal bound [/name].
Decl gone(Who) temporal bound [/name].
stay(/ann)@[2024-01-01, 2024-01-03].
gone(W)@[E, F] :- stay(W)@[S, E].
