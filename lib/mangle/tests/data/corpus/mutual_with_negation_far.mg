item(1).
one(X) :- item(X), two(X).
two(X) :- item(X), three(X).
three(X) :- item(X), !one(X).
