n(0).
inv(fn:div(1, X)) :- n(X).
