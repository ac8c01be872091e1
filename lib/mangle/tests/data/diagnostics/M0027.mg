# What is open today.
now(/shop).
open(X) :- now(X).
