Decl incoming(X) bound [/name].
kept(X) :- incoming(X).
