Decl l(X) bound [.List</number>].
Decl e(X) bound [/number].
l([1, 2]). l([]).
e(X) :- l(L), :list:member(X, L).
