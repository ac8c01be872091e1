p(1).
Use other!
