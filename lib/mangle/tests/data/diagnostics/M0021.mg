Decl p(X) temporal.
q(X) :- <-[-5m, 1h] p(X).
