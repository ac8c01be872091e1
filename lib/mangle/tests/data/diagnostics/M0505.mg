Decl a(X) temporal bound [/name].
Decl b(X) temporal bound [/name].
a(/x)@[2024-01-01].
a(X)@[T] :- b(X)@[T].
b(X)@[T] :- a(X)@[T].
