Decl n(X) bound [/number].
n(1).
odd(X) :- n(X), X = "one".
