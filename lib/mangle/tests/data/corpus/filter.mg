n(1). n(2). n(3).
some(X) :- n(X), :filter(fn:list:contains([1, 3], X)).
