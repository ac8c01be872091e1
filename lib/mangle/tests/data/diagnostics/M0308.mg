due(fn:time:parse_rfc3339("2024-02-30T00:00:00Z")).
wait([fn:duration:parse("1d")]).
late(X) :- due(X), :time:lt(X, fn:time:parse_civil("2024-01-01T08:00:00", "Berlin")).
share(X) :- wait(W), X = fn:div(fn:list:len([1, 2]), fn:minus(3, 3)).
