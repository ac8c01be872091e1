door(/front).
open().
enter(X) :- door(X), open.
