# The request adds to a relation that rules go through again and again.
Decl link(From, To) descr [session()] bound [/name, /name].
link(/a, /b).
reach(X, Y) :- link(X, Y).
reach(X, Z) :- reach(X, Y), link(Y, Z).
count(N) :- reach(_, _) |> do fn:group_by(), let N = fn:count().
