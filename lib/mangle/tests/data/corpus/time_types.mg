Decl raw(X) bound [/string].
Decl at(T) bound [/time].
Decl d(D) bound [/duration].
raw("2024-01-01T00:00:00Z").
at(T) :- raw(S), T = fn:time:parse_rfc3339(S).
d(D) :- at(T), D = fn:time:sub(T, T).
