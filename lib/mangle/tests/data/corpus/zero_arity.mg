door(/front).
open().
enter(X) :- open(), door(X).
alarm() :- enter(/front).
