up(/a, /c). up(/b, /c). up(/d, /a). up(/e, /b). 
same(X, X) :- up(X, _).
same(X, Y) :- up(X, U), same2(U, V), up(Y, V).
same2(X, Y) :- same(X, Y).
same2(/c, /c).
close(X, Z) :- same(X, Y), same(Y, Z).
