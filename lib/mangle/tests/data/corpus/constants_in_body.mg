ship(/ada, 3, "north"). ship(/bo, 3, "south"). ship(/cy, 4, "north").
north3(X) :- ship(X, 3, "north").
any3() :- ship(/bo, 3, "south").
