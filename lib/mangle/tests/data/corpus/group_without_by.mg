rect(3, 4).
row(A) :- rect(W, H) |> do fn:sort_by(W), let A = fn:count().
