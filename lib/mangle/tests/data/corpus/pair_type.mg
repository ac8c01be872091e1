Decl p(X) bound [.Pair</number, /string>].
p(fn:pair(1, "one")).
