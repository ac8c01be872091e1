Decl beat(X) temporal bound [/name].
Decl n(X) bound [/number].
n(0). n(1). n(2). n(3). n(4). n(5). n(6). n(7). n(8). n(9).
beat(/a)@[T] :- n(A), n(B), n(C), S = fn:plus(A, fn:mult(10, B), fn:mult(100, C)), H = fn:mult(S, 3600000000000), T = fn:time:from_unix_nanos(H).
