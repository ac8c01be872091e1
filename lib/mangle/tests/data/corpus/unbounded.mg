Decl member(Who) temporal bound [/name].
member(/ann)@[2024-01-01, _]. member(/bo)@[_, 2024-05-31]. member(/cy)@[_, _].
lately(X) :- <-[0d, 7d] member(X).
always(X) :- [-[0d, 3650d] member(X).
