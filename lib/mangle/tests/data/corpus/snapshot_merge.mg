# The request brings a shorter way.
Decl road(From, To, Length) descr [session()] bound [/name, /name, /number].
Decl dist(Place, Length) descr [fundep([Place], [Length]), merge([Length], "shorter")].
Decl shorter(A, B, C) descr [mode("+", "+", "-"), deferred()].
shorter(A, B, C) :- A <= B, C = A.
shorter(A, B, C) :- B < A, C = B.
road(/a, /b, 9). road(/b, /c, 3).
dist(/a, 0).
dist(Y, D) :- dist(X, E), road(X, Y, W), D = fn:plus(E, W).
