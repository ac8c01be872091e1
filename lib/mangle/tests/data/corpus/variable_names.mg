size(/box, 3).
twice(Box2, LongName) :- size(Box2, LongName).
