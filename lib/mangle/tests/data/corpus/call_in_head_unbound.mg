n(1).
next(fn:plus(Y, 1)) :- n(X).
