Decl tool(T) bound [/name].
Decl sold(T, P) bound [/name, /number] inclusion [tool(T)].
tool(/axe). sold(/axe, 3).
