Package shop!
Decl cost(X, N) descr [private()] bound [/name, /number].
cost(/saw, 40).
