Decl call(Who) temporal bound [/name].
call(/ann)@[2024-05-26].
ever(W) :- <-[0d, _] call(W).
