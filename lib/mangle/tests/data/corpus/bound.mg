Decl tool(Id, Cost) bound [/name, /number].
Decl dear(Id) bound [/name].
tool(/saw, 40). tool(/nail, 1).
dear(T) :- tool(T, C), C > 30.
