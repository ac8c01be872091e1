p(1).
q(Y) :- p(X), Y = fn:pluss(X, 1).
