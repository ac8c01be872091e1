Decl stay(Who) temporal bound [/name].
stay(/ann)@[2024-01-01, 2024-02-01T12:00:00].
stay(/ann)@[2024-03-01T00:00:00.5Z, 2024-04-01T00:00:00Z].
