Decl stay(W) temporal bound [/name].
stay(/ann)@[2024-01-01, 2024-01-05]. stay(/bo)@[2024-01-04]. stay(/cy)@[2024-01-05, 2024-01-09].
fourth(W) :- stay(W)@[2024-01-04].
both(W) :- stay(W)@[2024-01-01, 2024-01-05].
