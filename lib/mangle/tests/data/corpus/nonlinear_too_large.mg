l([1]). l([2]).
l(C) :- l(A), l(B), C = fn:list:cons(A, B).
