Decl price(Tool, Coins) descr [external(), mode("+", "-")] bound [/name, /number].
tool(/saw). tool(/axe).
cost(T, C) :- tool(T), price(T, C).
