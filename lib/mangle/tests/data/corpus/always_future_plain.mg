lease(/a).
safe(S) :- [+[0d, 7d] lease(S).
