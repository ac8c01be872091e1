p({"name" : 1}).
q(X) :- p(X), X = {"name" : 1}.
