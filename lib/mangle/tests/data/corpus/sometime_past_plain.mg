err(/a).
recent(S) :- <-[0d, 7d] err(S).
