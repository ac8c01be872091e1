Decl high(Team, Score) descr [fundep([Team], [Score]), merge([Score], "larger")].
game(/red, 3).
high(T, S) :- game(T, S).
