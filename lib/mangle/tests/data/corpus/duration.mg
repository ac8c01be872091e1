raw("1h30m"). raw("1.5ms"). raw("-1s").
d(D) :- raw(S), D = fn:duration:parse(S).
