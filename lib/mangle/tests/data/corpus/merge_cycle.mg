Decl dist(X, D) descr [fundep([X], [D]), merge([D], "nearer")].
Decl nearer(A, B, C) descr [mode("+", "+", "-"), deferred()].
nearer(A, B, C) :- A <= B, C = A.
nearer(A, B, C) :- B < A, C = B.
road(/a, /b, 4). road(/b, /c, 3). road(/c, /a, 2). road(/a, /c, 9).
dist(/a, 0).
dist(Y, D) :- dist(X, E), road(X, Y, W) |> let D = fn:plus(E, W).
