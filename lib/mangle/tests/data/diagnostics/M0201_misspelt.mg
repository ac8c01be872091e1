score(/a, 1).
top(Tool) :- score(Tol, 1).
