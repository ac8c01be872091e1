Decl stay(Who) temporal bound [/name].
stay(/ann)@[2024-01-01, 2024-01-03].
nights(W, D) :- stay(W)@[S, E], D = fn:time:sub(E, S).
from(W, S) :- stay(W)@[S, _].
