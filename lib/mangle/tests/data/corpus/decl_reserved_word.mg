Decl now(X) bound [/name].
now(/shop).
