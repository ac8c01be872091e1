Decl tool(X) descr [open(/domain)] bound [/name].
tool(/saw).
allowed(X) :- tool(X).
