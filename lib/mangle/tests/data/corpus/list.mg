l([]). l([,]). l([0]). l([/a, "b", [1]]).
first(H) :- l(L), :match_cons(L, H, _).
