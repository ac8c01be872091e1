Decl tool(T) bound [/name].
Decl sold(T, P) bound [/name, /number] inclusion [tool(T)].
Decl rented(T) bound ["tool"].
tool(/axe). sold(/axe, 3). rented(/axe).
