p(1). q(1, 2).
r(X) :- p(X), !q(X, Other).
