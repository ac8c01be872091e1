n(1). n(2).
one(X) :- n(X), X = 1.
word(W) :- W = "fixed".
sum(X, Y) :- n(X), Y = fn:plus(X, 10).
