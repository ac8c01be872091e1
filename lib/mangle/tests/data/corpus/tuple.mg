t(fn:tuple(1, 2, "three")).
nested() :- t(fn:pair(1, fn:pair(2, "three"))).
