Decl v(X) bound [.Union</number, /string>].
v(3). v("three").
