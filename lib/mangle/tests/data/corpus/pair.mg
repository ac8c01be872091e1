p(fn:pair("web", fn:pair(1, 2.5))).
parts(A, C) :- p(P), :match_pair(P, A, B), :match_pair(B, _, C).
