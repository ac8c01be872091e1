Decl tool(Id, Cost) bound [/name].
tool(/saw, 40).
