rect(3, 4). rect(5, 4).
row(W, H, A) :- rect(W, H) |> let A = fn:mult(W, H).
big(T) :- row(_, _, A) |> do fn:group_by(), let S = fn:sum(A), let T = fn:plus(S, 1).
