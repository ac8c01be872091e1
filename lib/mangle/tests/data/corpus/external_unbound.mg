Decl price(Tool, Coins) descr [external(), mode("+", "-")] bound [/name, /number].
cost(T, C) :- price(T, C).
