l([1]).
one(X) :- l([X]).
