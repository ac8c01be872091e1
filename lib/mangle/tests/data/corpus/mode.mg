Decl price(Id, Cost) descr [mode("+", "-")] bound [/name, /number].
price(/saw, 40). price(/nail, 1).
want(/nail).
pay(C) :- want(T), price(T, C).
