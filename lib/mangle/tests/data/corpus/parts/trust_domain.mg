mine(X) :- allowed(X).
