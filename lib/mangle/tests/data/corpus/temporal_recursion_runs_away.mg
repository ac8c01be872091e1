Decl beat(X) temporal bound [/name].
beat(/a)@[2024-01-01].
beat(X)@[U] :- beat(X)@[T], D = fn:duration:parse("1s"), U = fn:time:add(T, D).
