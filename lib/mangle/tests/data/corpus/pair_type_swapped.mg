Decl p(X) bound [.Pair</number, /string>].
p(fn:pair("one", 1)).
