n(1). n(2).
next(X, fn:plus(X, 1)) :- n(X).
box([X, X]) :- n(X).
