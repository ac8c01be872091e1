tool(/saw). tool(/drill).
allowed(X) :- tool(X), X != /drill .
