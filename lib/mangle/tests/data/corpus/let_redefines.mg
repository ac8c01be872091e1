rect(3, 4).
area(W, H) :- rect(W, H) |> let H = fn:mult(W, H).
