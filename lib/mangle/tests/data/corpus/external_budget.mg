Decl next(X, Y) descr [external(), mode("+", "-")] bound [/number, /number].
n(0).
n(Y) :- n(X), next(X, Y).
