#! schema
Package depot!
Decl crate(X) descr [private()].
crate(/a).
#! domain
Use depot!
has(X) :- depot.crate(X).
