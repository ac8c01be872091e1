Decl price(Tool, Coins) descr [external()] bound [/name, /number].
tool(/saw).
cost(T, C) :- tool(T), price(T, C).
