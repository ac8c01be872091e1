Decl a(X) temporal bound [/name].
a(/x)@[2024-01-01].
a(X)@[now] :- <+[0s, 1h] a(X).
