step(1, 2). step(2, 3). step(3, 4). start(1).
left(X) :- start(X).
right(Y) :- left(X), step(X, Y).
left(Y) :- right(X), step(X, Y).
