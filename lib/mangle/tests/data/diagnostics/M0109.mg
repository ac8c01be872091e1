p([1]).
q(Y) :- p(X), Y = fn:list:get(X).
