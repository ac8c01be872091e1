Decl tick(X) temporal bound [/number].
tick(0)@[2024-01-01].
tick(X)@[T2] :- tick(X)@[T], D = fn:duration:parse("1s"), T2 = fn:time:add(T, D).
