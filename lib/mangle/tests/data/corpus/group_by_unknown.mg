sale(/mon, 3).
day(D, N) :- sale(_, V) |> do fn:group_by(D), let N = fn:count().
