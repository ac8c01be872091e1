event({/kind : /login}).
login(E) :- event(E), :match_field(E, /kind, /login).
