Decl n(X) bound [/number].
n(1).
some(X) :- n(X), :filter(X).
