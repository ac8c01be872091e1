Package shop!
Use depot!
ready(X) :- depot.nothing(X).
