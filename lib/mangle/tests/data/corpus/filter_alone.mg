n(1).
some(X) :- :filter(fn:list:contains([1], X)).
