size(/box, 3).
big(X) :- size(X, 3),, size(X, _).
