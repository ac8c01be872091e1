Decl p(X) bound [.Pair</name, /string>].
Decl n(X) bound [/number].
n(1).
p(fn:pair(/a, X)) :- n(X).
