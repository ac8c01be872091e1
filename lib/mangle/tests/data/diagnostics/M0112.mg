p([1, 2]).
q(H) :- p(X), :match_con(X, H, _).
