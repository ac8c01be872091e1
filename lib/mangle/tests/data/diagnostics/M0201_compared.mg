p(1).
r(X, Y) :- p(X), Y < X.
