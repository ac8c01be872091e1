n([1]). n([]).
first(X) :- n(L), X = fn:list:get(L, 0).
