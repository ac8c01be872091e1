Decl shift(Who) temporal bound [/name].
shift(/ida).
