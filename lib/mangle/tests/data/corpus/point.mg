Decl login(Who) temporal bound [/name].
login(/ann)@[2024-03-15T10:30:00].
