sale(/mon, 3). sale(/mon, 5).
twice(D, T) :- sale(D, V) |> do fn:group_by(D), let S = fn:sum(V), let T = fn:mult(S, 2).
