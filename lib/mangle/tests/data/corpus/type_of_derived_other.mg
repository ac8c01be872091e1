Decl cost(X, N) bound [/name, /number].
Decl label(X, N) bound [/name, /string].
cost(/saw, 40).
label(X, D) :- cost(X, N), D = fn:mult(N, 2).
