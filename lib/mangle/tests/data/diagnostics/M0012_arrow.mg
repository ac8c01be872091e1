tool(/saw).
cheap(X) <- tool(X).
decl odd(X) bound [/name].
-- a comment
