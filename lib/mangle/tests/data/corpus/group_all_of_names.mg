who(/ann). who(1).
sum(A) :- who(W) |> do fn:group_by(), let A = fn:avg(W).
