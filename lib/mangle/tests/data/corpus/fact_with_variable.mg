lamp(X).
