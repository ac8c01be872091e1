Decl err(S) temporal bound [/name].
recent(S) :- <-[5m] err(S).
