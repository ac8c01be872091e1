sale(/mon, /tea, 3). sale(/mon, /cake, 5). sale(/tue, /tea, 4).
day(D, N, T) :- sale(D, _, V) |> do fn:group_by(D), let N = fn:count(), let T = fn:sum(V).
what(I, D, T) :- sale(D, I, V) |> do fn:group_by(I, D), let T = fn:max(V).
