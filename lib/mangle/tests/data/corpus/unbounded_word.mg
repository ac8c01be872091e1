Decl member(Who) temporal bound [/name].
member(/ann)@[2024-01-01, forever].
