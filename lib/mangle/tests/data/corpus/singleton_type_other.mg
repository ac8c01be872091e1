Decl colour(C) bound [.Singleton</red>].
colour(/blue).
