Decl rect(W, H) bound [/number, /string].
Decl area(A) bound [/number].
rect(3, "four").
area(A) :- rect(W, H) |> let A = fn:mult(W, H).
