rect(3, 4). rect(3, "four").
area(A) :- rect(W, H) |> let A = fn:mult(W, H).
