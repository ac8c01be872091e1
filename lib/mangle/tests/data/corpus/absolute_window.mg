Decl err(S) temporal bound [/name].
err(/a)@[2024-02-01, 2024-02-02]. err(/b)@[2024-03-01, 2024-03-02].
february(S) :- <-[2024-02-01, 2024-02-29] err(S).
