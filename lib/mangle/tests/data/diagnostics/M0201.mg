child(/ann, /bob).
parent(X, Y) :- child(X, _).
