Decl v(X) bound [.Option</number>] bound [/number].
v(3).
