Decl p(X) bound [/number].
Decl p(Y).
