tool(/a). prohibits(/b, /a).
selected(X) :- tool(X), !excluded(X).
excluded(X) :- prohibits(Y, X), chosen(Y).
chosen(X) :- selected(X).
