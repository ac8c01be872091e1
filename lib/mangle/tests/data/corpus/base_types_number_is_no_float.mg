Decl f(X) bound [/float64].
f(1).
