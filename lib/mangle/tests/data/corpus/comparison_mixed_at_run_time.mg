v(1). v(/one).
low(X) :- v(X), X < 3.
