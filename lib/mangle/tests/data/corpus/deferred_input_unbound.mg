Decl double(X, Y) descr [mode("+", "-"), deferred()] bound [/number, /number].
double(X, Y) :- Y = fn:mult(X, 2).
n(3).
twice(Y) :- n(Z), double(X, Y).
