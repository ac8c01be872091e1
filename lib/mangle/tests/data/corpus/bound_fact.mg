Decl tool(Id, Cost) bound [/name, /number].
tool(/saw, "forty").
