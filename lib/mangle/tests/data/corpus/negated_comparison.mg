n(1). n(2). n(3). l([1, 3]).
most(X) :- n(X), !:lt(X, 2).
out(X) :- n(X), l(L), !:filter(fn:list:contains(L, X)).
