edge(/a, /b).
node(X) :- edge(X, Y).
