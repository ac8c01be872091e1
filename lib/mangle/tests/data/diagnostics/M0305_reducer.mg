Decl sale(Day, Coins) bound [/name, /number].
sale(/mon, 3). sale(/mon, 5).
total(Day, Sum) :- sale(Day, Coins), Sum = fn:sum(Coins).
