Decl long(R) descr [mode("+")] bound [.Struct</parts : .List</string>>].
long(R) :- :match_field(R, /parts, P), fn:list:len(P) > 2.
tool(/saw).
