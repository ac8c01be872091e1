n(1). n(2). n(3). half(1, /a). half(2, /b).
prev(X, L) :- n(X), half(fn:minus(X, 1), L).
long(L) :- lists(L), fn:list:len(L) > 1.
lists([1]). lists([1, 2]).
