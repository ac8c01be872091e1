Decl price(Tool, Coins) descr [external(), mode("+", "-")] bound [/name, /number].
tool(/saw). tool(/axe).
free(T) :- tool(T), !price(T, _).
