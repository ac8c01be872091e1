Decl dist(X, D) descr [fundep([X], [D]), merge([D], "farther")].
Decl farther(A, B, C) descr [mode("+", "+", "-"), deferred()].
farther(A, B, C) :- A >= B, C = A.
farther(A, B, C) :- B > A, C = B.
road(/a, /b, 1). road(/b, /a, 1).
dist(/a, 0).
dist(Y, D) :- dist(X, E), road(X, Y, W) |> let D = fn:plus(E, W).
