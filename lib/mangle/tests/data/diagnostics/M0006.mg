Decl p(X) temporal.
p(/a)@[2024-02-30].
