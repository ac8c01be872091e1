sale(/mon, 3). sale(/tue, 4).
total(T) :- sale(_, V) |> do fn:group_by(), let T = fn:sum(V).
none(T) :- sale(_, V), V > 9 |> do fn:group_by(), let T = fn:sum(V).
