Decl n(X) bound [/number].
n(1).
head(H) :- n(X), :match_cons(X, H, T).
