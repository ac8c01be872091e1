rect(3, 4).
row(A) :- rect(W, H) |> make A = fn:mult(W, H).
