item(/a). item(/b). item(/c). sold(/a). late(/b).
kept(X) :- item(X), !sold(X).
fine(X) :- kept(X), !late(X).
odd(X) :- item(X), !fine(X).
