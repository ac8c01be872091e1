p(1).
q(X) :- p(X), fn:list:contains([1], X).
