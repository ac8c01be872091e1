Decl p(X) bound [.Lst</number>].
