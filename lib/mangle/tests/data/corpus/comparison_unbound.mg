n(1).
less(X) :- n(X), X < Y.
