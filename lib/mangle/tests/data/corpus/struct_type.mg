Decl person(P) bound [.Struct</name : /string, opt /age : /number>].
person({/name : "ida", /age : 7}). person({/name : "bo"}).
Decl age(A) bound [/number].
age(A) :- person(P), :match_field(P, /age, A).
