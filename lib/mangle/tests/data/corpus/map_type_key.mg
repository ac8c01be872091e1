Decl m(X) bound [.Map</string, /number>].
m([/a : 1]).
