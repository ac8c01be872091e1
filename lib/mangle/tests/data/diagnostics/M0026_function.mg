sale(/tea, 3).
sum(T) :- sale(_, P) |> do fn:group_by(), let T = sum(P).
