n(1).
same(Y) :- n(X), X = Y.
