crate(/a).
full(X) :- crate(X), depot.open(X).
