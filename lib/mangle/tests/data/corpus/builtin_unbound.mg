s("banana").
some(X) :- s(X), :string:starts_with(Y, "ban").
