rect(3, 4).
area(W, H, A, P) :- rect(W, H) |> let A = fn:mult(W, H), let S = fn:plus(W, H), let P = fn:mult(2, S).
