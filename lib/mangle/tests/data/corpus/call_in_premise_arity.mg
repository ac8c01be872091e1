n([1]).
long(L) :- n(L), fn:list:len(L, L) > 1.
