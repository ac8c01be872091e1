Decl t(X) bound [.Tuple</number, /string, /name>].
t(fn:tuple(1, "one", /one)).
