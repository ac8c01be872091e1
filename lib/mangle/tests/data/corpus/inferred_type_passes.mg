tool(/saw). size(3). size("large").
both(X) :- tool(X), size(X).
next(Y) :- size(X), X != "large", Y = fn:plus(X, 1).
