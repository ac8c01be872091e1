tool(/saw, 3).
cheap(X) :- tool(X, P) and P < 10.
odd(X) :- tool(X, P), P is 3.
some(X) if tool(X, _).
none(X) :- tool(X, _), NOT cheap(X).
either(X) :- tool(X, 1) or tool(X, 2).
