Use depot!
Use depot.inner!
ready(X) :- depot.crate(X), !depot.inner.lost(X).
