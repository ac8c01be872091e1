sale(/mon, /ann, 3). sale(/mon, /bo, 3). open(/mon).
sum(T) :- sale(_, _, V) |> do fn:group_by(), let T = fn:sum(V).
days(D, T) :- sale(D, _, V), open(D) |> do fn:group_by(D), let T = fn:sum(V).
