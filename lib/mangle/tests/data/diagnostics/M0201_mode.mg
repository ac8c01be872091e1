Decl price(Tool, Coins) descr [mode("+", "-")].
price(T, C) :- list(T, C).
list(/saw, 40).
dear(C) :- price(T, C).
