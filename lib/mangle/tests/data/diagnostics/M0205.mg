p(1).
q(X) :- p(X) |> let X = fn:plus(X, 1).
