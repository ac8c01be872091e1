s("banana").
some(X) :- s(X), :string:begins_with(X, "ban").
