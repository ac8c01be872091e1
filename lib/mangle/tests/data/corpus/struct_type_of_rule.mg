Decl s(X) bound [.Struct</a : /string>].
Decl n(X) bound [/number].
n(1).
s({/a : X}) :- n(X).
