n(1).
one(X) :- n(X), X == 1.
