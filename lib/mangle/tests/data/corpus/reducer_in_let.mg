sale(/mon, 3).
day(D, T) :- sale(D, V) |> let T = fn:count().
