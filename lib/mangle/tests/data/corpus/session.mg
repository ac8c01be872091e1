# The request says what is wanted; the rest is known before.
Decl wanted(Thing) descr [session()] bound [/name].
link(/a, /b). link(/b, /c). link(/d, /e).
reach(X, Y) :- link(X, Y).
reach(X, Z) :- reach(X, Y), link(Y, Z).
good(Y) :- wanted(X), reach(X, Y).
lone(X) :- wanted(X), !reach(X, _).
