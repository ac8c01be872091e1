Decl link(X, Y) temporal bound [/name, /name].
Decl reach(X, Y) temporal bound [/name, /name].
link(/a, /b)@[2024-01-01]. link(/b, /c)@[2024-01-01]. link(/c, /d)@[2024-01-01]. link(/d, /e)@[2024-01-02].
reach(X, Y)@[T] :- link(X, Y)@[T].
reach(X, Z)@[T] :- reach(X, Y)@[T], link(Y, Z)@[T].
