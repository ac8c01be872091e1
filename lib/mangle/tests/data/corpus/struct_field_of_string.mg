s({"a" : 1}).
same(X) :- s(X), X = {"a" : 1}.
