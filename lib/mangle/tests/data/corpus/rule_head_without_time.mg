Decl work(W) temporal bound [/name].
Decl rest(W) temporal bound [/name].
work(/ann)@[2024-01-01, 2024-01-02].
rest(W) :- work(W)@[S, E].
