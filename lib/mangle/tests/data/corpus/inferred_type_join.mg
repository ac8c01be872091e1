size(3). label("three").
both(X) :- size(X), label(X).
