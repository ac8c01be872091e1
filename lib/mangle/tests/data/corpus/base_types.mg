Decl n(X) bound [/number].
Decl f(X) bound [/float64].
Decl s(X) bound [/string].
Decl b(X) bound [/bytes].
Decl c(X) bound [/name].
Decl a(X) bound [/any].
n(1). f(1.0). s("1"). b(b"1"). c(/one). a(1). a("x"). a([1]).
