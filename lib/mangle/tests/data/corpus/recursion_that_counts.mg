n(0).
n(Y) :- n(X), Y = fn:plus(X, 1).
