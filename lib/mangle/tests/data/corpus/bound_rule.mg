Decl tool(Id, Cost) bound [/name, /number].
Decl label(Text) bound [/string].
label("saw").
tool(/saw, X) :- label(X).
