edge(/a, /b).
loop(X) :- edge(X).
