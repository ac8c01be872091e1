Decl event(E) bound [.TaggedUnion</kind, /login : .Struct</kind : /name>, /quit : .Struct<>>].
event({/kind : /quit}).
