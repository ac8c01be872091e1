Decl price(Tool, Coins) bound [/name, /int].
price(/saw, 3).
