age(/ann, 30).
Decl name(X) bound [/string]. name("ann").
odd(X) :- age(X, _), name(X).
