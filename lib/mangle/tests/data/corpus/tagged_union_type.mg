Decl event(E) bound [
  .TaggedUnion</kind,
    /login : .Struct</user : /number, opt /from : /string>,
    /quit : .Struct<>
  >
].
event({/kind : /login, /user : 7}). event({/kind : /login, /user : 8, /from : "here"}). event({/kind : /quit}).
kind(K) :- event(E), :match_field(E, /kind, K).
