result(X) :- incoming(X, _).
