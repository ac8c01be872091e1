plan(/a).
soon(S) :- <+[0d, 7d] plan(S).
