Decl stay(Who) temporal bound [/name].
stay(/ann)@[2024-13-01, 2024-14-01].
