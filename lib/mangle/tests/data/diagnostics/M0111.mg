Decl p(X) descr [extensional()].
Decl q(X) descr [extensional()].
p(X) :- q(X).
