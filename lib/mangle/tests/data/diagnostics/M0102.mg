selected(/a).
result(X) :- selectd(X).
