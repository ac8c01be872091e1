pair(1, 1). pair(1, 2). pair(2, 2).
same(X) :- pair(X, X).
