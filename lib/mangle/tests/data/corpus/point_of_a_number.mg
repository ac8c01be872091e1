Decl rest(W) temporal bound [/name].
day(/ann, 5).
rest(W)@[T] :- day(W, T).
