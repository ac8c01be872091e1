lamp(/hall).
repair(X) :- .
