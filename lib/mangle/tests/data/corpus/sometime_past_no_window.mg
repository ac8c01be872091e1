Decl err(S) temporal bound [/name].
err(/a)@[2024-05-25].
recent(S) :- <-[] err(S).
