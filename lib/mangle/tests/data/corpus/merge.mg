Decl high(Team, Score) descr [fundep([Team], [Score]), merge([Score], "larger")].
Decl larger(A, B, C) descr [mode("+", "+", "-"), deferred()].
larger(A, B, C) :- A >= B, C = A.
larger(A, B, C) :- A < B, C = B.
game(/red, 3). game(/red, 9). game(/red, 4). game(/blue, 1).
high(T, S) :- game(T, S).
