Decl seen(Who) temporal bound [/name].
who(/ann).
seen(X)@[now] :- who(X).
