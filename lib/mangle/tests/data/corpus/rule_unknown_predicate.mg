lamp(/hall).
repair(X) :- lamp(X), brokn(X).
