Decl tool(X) descr [extensional(), open(/client)] bound [/name].
allowed(X) :- tool(X), X != /drill .
