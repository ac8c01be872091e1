Decl beat(X) temporal bound [/name].
Decl last(T).
last(T) :- T = fn:time:parse_rfc3339("2024-01-01T00:00:03Z").
beat(/a)@[2024-01-01].
beat(X)@[U] :- beat(X)@[T], last(L), :time:lt(T, L), D = fn:duration:parse("1s"), U = fn:time:add(T, D).
