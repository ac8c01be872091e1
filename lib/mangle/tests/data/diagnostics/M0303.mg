age(/ann, 30).
name("ann").
odd(X) :- age(X, _), name(X).
