s("banana"). s("cherry").
some(X) :- s(X), :string:starts_with(X, "ban").
