raw("2024-01-15T10:30:00.123456789+01:00").
at(T) :- raw(S), T = fn:time:parse_rfc3339(S).
