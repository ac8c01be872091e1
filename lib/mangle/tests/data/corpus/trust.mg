Decl tool(X) descr [extensional()] bound [/name].
allowed(X) :- tool(X), X != /drill .
