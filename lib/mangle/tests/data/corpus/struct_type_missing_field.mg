Decl person(P) bound [.Struct</name : /string, /age : /number>].
person({/name : "bo"}).
