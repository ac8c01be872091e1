rect(3, 4).
area(A) :- rect(W, H) |> let A = fn:times(W, H).
