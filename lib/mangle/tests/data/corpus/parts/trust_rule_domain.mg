allowed(X) :- tool(X).
