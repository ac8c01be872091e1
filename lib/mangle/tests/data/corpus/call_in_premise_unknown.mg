n(1).
m(X) :- n(X), n(fn:increment(X)).
