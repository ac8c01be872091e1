shop.item(/tea).
shop.sold(X) :- shop.item(X).
