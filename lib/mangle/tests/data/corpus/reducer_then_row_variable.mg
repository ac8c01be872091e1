sale(/mon, 3).
day(D, T) :- sale(D, V) |> do fn:group_by(D), let S = fn:sum(V), let T = fn:plus(S, V).
