cost(/a, 1). cost(/a, 2).
total(T, C, S) :- cost(T, C) |> do fn:group_by(T), let S = fn:sum(C).
