Decl err(S) temporal bound [/name].
err(/a)@[2024-05-30, 2024-06-03]. err(/a)@[2024-05-01, 2024-05-02].
recent(S, B) :- <-[0d, 7d] err(S)@[B, _].
