sale(/mon, 3).
day(D, N) :- sale(D, V) |> do fn:group_by(), let N = fn:count().
