n(1).
m(Y) :- n(X), Y = Z.
