Use shop!
cheap(X) :- shop.cost(X, N), N < 10.
