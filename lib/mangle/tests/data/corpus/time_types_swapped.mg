Decl raw(X) bound [/string].
Decl at(T) bound [/duration].
raw("2024-01-01T00:00:00Z").
at(T) :- raw(S), T = fn:time:parse_rfc3339(S).
