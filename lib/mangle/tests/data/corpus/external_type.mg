Decl price(Tool, Coins) descr [external(), mode("+", "-")] bound [/name, /number].
tool(/saw).
dear(T) :- tool(T), price(T, C), :string:contains(C, "9").
