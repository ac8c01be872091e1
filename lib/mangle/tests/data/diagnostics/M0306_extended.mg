#! extended
p(/a). p(/b).
q(X, Y) :- p(X), p(Y), X < Y.
