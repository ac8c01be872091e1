at(X) :- X = /here.
