Decl p(X, Y) bound [/number].
