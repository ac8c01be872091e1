lamp(/hall). lamp(/attic). broken(/attic).
repair(X) :- lamp(X), broken(X).
