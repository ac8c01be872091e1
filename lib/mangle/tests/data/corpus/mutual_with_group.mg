start(1).
left(N) :- right(X) |> do fn:group_by(), let N = fn:count().
right(X) :- left(X).
right(X) :- start(X).
