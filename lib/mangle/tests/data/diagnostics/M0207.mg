p(1).
q(S) :- p(X) |> let S = fn:collect(X).
r(S) :- p(X), S = fn:collect(X).
