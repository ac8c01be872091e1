list([]).
list(M) :- list(L) |> let M = fn:list:append(L, 1).
