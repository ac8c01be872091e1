call(/ann, /bob).
caller(X, _) :- call(X, _).
