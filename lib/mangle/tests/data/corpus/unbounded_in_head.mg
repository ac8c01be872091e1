Decl member(Who) temporal bound [/name].
Decl guest(Who) temporal bound [/name].
member(/ann)@[2024-01-01, _]. member(/bo)@[_, 2024-05-31]. member(/cy)@[_, _].
guest(X)@[S, E] :- member(X)@[S, E].
