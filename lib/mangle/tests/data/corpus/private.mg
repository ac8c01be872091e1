Package shop!
Decl cost(X, N) descr [private()] bound [/name, /number].
cost(/saw, 40). cost(/axe, 7).
dear(X) :- cost(X, N), N > 10.
