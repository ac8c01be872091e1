Decl lamp(Where).
repair(X) :- lamp(X).
