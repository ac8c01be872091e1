lamp(/hall).
repair(X, Who) :- lamp(X).
