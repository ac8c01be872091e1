v([[[[[1]]]], {/a : {/b : [/c : fn:pair(1, [2])]}}]).
inner(X) :- v(L), :list:member(S, L), :match_field(S, /a, A), :match_field(A, /b, M), :match_entry(M, /c, P), :match_pair(P, _, X).
