m([/a : 1, "b" : 2]). m(["b" : 2, /a : 1]).
m(fn:map()).
count(N) :- m(X) |> do fn:group_by(), let N = fn:count().
