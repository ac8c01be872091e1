sale(/mon, 3).
day(D, N) :- sale(D, V) |> do fn:group_by(D), let N = fn:total(V).
