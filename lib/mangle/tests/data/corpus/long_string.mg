s(`two
lines`).
same() :- s("two\nlines").
