p(/lit).
q(X) :- p(X), X = /lit.
r(/c).
