Decl tool(X) bound [/name].
Decl sold(X) bound [/name] inclusion [tool(X)].
tool(/saw). tool(/axe). sold(/axe).
