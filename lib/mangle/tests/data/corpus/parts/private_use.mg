Use shop!
want(X) :- shop.dear(X).
