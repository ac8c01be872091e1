call(/ann, /bob, 5). call(/ann, /cy, 7).
caller(X) :- call(X, _, _).
busy(X) :- call(X, _, N), N > 6.
