Decl price(Tool, Cost) descr [mode("+", "-")] bound [/name, /number].
sold(/saw, 40). sold(/saw, 2). sold(/nail, 1).
price(T, C) :- sold(T, N) |> do fn:group_by(T), let C = fn:sum(N).
pay(C) :- price(/saw, C).
