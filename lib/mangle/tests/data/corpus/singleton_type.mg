Decl colour(C) bound [.Singleton</red>] bound [fn:Singleton(/blue)].
colour(/red). colour(/blue).
