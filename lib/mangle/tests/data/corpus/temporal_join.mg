Decl on(X) temporal bound [/name].
Decl off(X) temporal bound [/name].
Decl both(X, Y) temporal bound [/name, /name].
on(/a)@[2024-01-01, 2024-01-10]. off(/b)@[2024-01-05, 2024-01-20]. off(/c)@[2024-02-01, 2024-02-02].
both(X, Y)@[S, E] :- on(X)@[B, E], off(Y)@[S, D], :time:le(B, S), :time:le(S, E), :time:le(E, D).
