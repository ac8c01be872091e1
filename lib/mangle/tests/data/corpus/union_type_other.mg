Decl v(X) bound [.Union</number, /string>].
v(/three).
