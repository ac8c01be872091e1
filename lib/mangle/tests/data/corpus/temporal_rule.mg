Decl work(W) temporal bound [/name].
Decl rest(W) temporal bound [/name].
work(/ann)@[2024-01-01T08:00:00, 2024-01-01T16:00:00].
rest(W)@[E, L] :- work(W)@[S, E], D = fn:duration:parse("8h"), L = fn:time:add(E, D).
