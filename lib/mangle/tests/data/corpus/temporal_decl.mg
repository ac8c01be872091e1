Decl shift(Who) temporal bound [/name].
shift(/ida)@[2024-01-01, 2024-01-02].
