Decl t(X) bound [.Tuple</number, /string>].
t(fn:pair(1, "one")).
