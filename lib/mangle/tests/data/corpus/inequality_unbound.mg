n(1).
other(X) :- n(X), X != Y.
