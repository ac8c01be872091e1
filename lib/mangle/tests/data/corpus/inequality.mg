n(1). n(2). n(3).
other(X) :- n(X), X != 2.
