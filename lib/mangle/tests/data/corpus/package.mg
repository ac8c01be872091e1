Package depot!
Decl crate(X) bound [/name].
crate(/a).
full(X) :- crate(X).
