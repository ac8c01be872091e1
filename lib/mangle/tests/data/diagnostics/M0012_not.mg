p(1). q(1).
r(X) :- p(X), not q(X).
