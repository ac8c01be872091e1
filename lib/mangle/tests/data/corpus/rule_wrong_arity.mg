lamp(/hall).
repair(X) :- lamp(X, _).
