p(1).
q(N) :- p(X) |> do fn:group_by(1), let N = fn:count().
