age(/ann, 30).
Decl name(X) bound [/string]. name("ann").
odd(X) :- age(_, X), name(X).
