Decl double(X, Y) descr [mode("+", "-"), deferred()] bound [/number, /number].
double(X, Y) :- Y = fn:mult(X, 2).
n(3). n(4).
twice(X, Y) :- n(X), double(X, Y).
