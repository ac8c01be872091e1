Decl m(X) bound [.Map</name, /string>].
Decl n(X) bound [/number].
n(1).
m([/a : X]) :- n(X).
