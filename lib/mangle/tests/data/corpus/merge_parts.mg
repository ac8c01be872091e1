# What is kept in the end rests on what was replaced: /x had (1, 0) before it had (1, 1).
Decl best(Place, Pair) descr [fundep([Place], [Pair]), merge([Pair], "both")].
Decl both(A, B, C) descr [mode("+", "+", "-"), deferred()].
both(A, B, C) :- :match_pair(A, P, Q), :match_pair(B, R, S), P >= R, Q >= S, C = A.
both(A, B, C) :- :match_pair(A, P, Q), :match_pair(B, R, S), P >= R, Q < S, C = fn:pair(P, S).
both(A, B, C) :- :match_pair(A, P, Q), :match_pair(B, R, S), P < R, Q >= S, C = fn:pair(R, Q).
both(A, B, C) :- :match_pair(A, P, Q), :match_pair(B, R, S), P < R, Q < S, C = B.
link(/x, /y). link(/y, /x). link(/y, /z).
found(/x, 1, 0). found(/y, 0, 1).
best(X, fn:pair(A, B)) :- found(X, A, B).
best(Y, P) :- link(X, Y), best(X, P).
