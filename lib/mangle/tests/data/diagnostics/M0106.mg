#! schema
Package depot!
crate(/a).
#! domain
has(X) :- depot.crate(X).
