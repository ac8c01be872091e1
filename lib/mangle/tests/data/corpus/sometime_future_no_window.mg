Decl plan(S) temporal bound [/name].
plan(/a)@[2024-06-08].
soon(S) :- <+ plan(S).
