Decl ping(Who) temporal bound [/name].
Decl pong(Who) temporal bound [/name].
ping(/ann)@[2024-01-01]. ping(/bo)@[2024-01-02].
pong(W)@[T] :- ping(W)@[T].
at(W, T) :- ping(W)@[T].
