Decl ping(Who) temporal bound [/name].
who(/ann).
ping(W)@[T] :- who(W).
