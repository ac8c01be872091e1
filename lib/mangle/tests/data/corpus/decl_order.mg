Decl open(X) bound [/name] temporal.
open(/shop)@[2024-01-01].
