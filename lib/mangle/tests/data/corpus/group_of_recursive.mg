edge(1, 2). edge(2, 3).
path(X, Y) :- edge(X, Y).
path(X, Z) :- edge(X, Y), path(Y, Z).
reach(X, N) :- path(X, _) |> do fn:group_by(X), let N = fn:count().
