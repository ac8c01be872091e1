up(/a).
steady(S) :- [-[0d, 7d] up(S).
