Decl road(From, From) bound [/name, /name].
road(/a, /b).
