sale(1).
day(N) :- day(X) |> do fn:group_by(), let N = fn:count().
day(X) :- sale(X).
