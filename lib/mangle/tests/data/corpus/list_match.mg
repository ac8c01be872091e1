l([1, [2, 3], fn:pair(/a, "b")]).
rest(T) :- l(L), :match_cons(L, _, T).
inner(X) :- l(L), :list:member(M, L), :list:member(X, M).
snd(B) :- l(L), :list:member(M, L), :match_pair(M, _, B).
