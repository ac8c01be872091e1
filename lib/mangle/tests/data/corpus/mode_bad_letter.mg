Decl price(Id, Cost) descr [mode("+", "out")] bound [/name, /number].
price(/saw, 40).
