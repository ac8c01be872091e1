edge(/a, /b, 1).
cost(X, Y, C) :- edge(X, Y, C).
cost(X, Y, S) :- cost(X, Y, C) |> do fn:group_by(X, Y), let S = fn:sum(C).
