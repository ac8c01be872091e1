Decl sale(D, V) bound [/name, /string].
Decl day(D, T) bound [/name, /number].
sale(/mon, "three").
day(D, T) :- sale(D, V) |> do fn:group_by(D), let T = fn:sum(V).
