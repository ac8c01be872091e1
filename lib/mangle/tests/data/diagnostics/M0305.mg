p("a").
q(Y) :- p(X) |> let Y = fn:plus(X, 1).
