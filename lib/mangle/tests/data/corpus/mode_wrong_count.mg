Decl price(Id, Cost) descr [mode("+")] bound [/name, /number].
price(/saw, 40).
