raw("yesterday").
at(T) :- raw(S), T = fn:time:parse_rfc3339(S).
