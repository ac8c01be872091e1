Decl tool(Id, Cost) bound [/name, /number].
raw("x").
tool(/t, X) :- raw(X).
