n(-1). n(0). n(5).
less(X) :- n(X), X < 0.
most(X) :- n(X), X <= 0.
more(X) :- n(X), X > 0.
least(X) :- n(X), X >= 0.
