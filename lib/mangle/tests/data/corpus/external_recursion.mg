# Each round asks for what the last one has found.
Decl next(X, Y) descr [external(), mode("+", "-"), nondeterministic()] bound [/number, /number].
n(0).
n(Y) :- n(X), next(X, Y).
