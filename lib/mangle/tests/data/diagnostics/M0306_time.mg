Decl stay(Who) temporal bound [/name].
stay(/ann)@[2024-01-01, 2024-01-03].
early(W) :- stay(W)@[S, E], S < E.
late(W) :- stay(W)@[S, _], S > fn:time:parse_rfc3339("2024-01-01T00:00:00Z").
long(W) :- stay(W)@[S, E], D = fn:time:sub(E, S), F = fn:duration:parse("1h"), D >= F.
odd(W) :- stay(W)@[_, _], :time:lt(1, 2).
