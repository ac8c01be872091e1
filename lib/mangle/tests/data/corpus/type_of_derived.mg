Decl cost(X, N) bound [/name, /number].
Decl dear(X, N) bound [/name, /number].
cost(/saw, 40). cost(/nail, 1).
dear(X, D) :- cost(X, N), N > 10, D = fn:mult(N, 2).
