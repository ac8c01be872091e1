score(/ann, 3).
all(N) :- score(_, S) |> do fn:group_by(), let M = fn:max(S), let N = fn:count().
