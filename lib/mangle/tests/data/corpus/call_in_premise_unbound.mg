n(1).
next(Y) :- n(X), Y = fn:plus(Z, 1).
