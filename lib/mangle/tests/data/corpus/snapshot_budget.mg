# The limits of a request count what the request derives.
Decl start(N) descr [session()] bound [/number].
n(X) :- start(X).
n(Y) :- n(X), Y = fn:plus(X, 1).
