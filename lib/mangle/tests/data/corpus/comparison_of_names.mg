Decl tool(X) bound [/name].
tool(/saw).
low(X) :- tool(X), X < 3.
