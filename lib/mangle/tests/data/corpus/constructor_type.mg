Decl l(X) bound [.List</string>].
Decl n(X) bound [/number].
n(1).
l([X]) :- n(X).
