Decl event(E) bound [.TaggedUnion</kind, /login : .Struct</user : /number>, /quit : .Struct<>>].
event({/kind : /login, /user : "seven"}).
