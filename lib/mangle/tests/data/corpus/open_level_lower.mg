Decl tool(X) descr [open(/domain)] bound [/name].
tool(/saw).
