Decl seen(Who) temporal bound [/name].
seen(/ann)@[now, then].
