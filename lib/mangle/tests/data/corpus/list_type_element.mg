Decl l(X) bound [.List</number>].
l([1, "two"]).
