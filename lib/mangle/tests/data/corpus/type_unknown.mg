Decl v(X) bound [.Lisst</number>].
v([3]).
