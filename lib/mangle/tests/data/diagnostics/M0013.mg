p(1).
q(Y) :- p(X), Y = X + 1.
