Decl stay(Who) temporal bound [/name].
stay(/ann)@[2024-02-01, 2024-01-01].
