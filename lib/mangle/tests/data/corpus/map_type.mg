Decl m(X) bound [.Map</string, .List</number>>].
m(["a" : [1], "b" : []]).
