Decl p(X) temporal.
p(/a)@["2024-01-15"].
