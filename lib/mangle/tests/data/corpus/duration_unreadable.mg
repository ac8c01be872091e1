raw("soon").
d(D) :- raw(S), D = fn:duration:parse(S).
