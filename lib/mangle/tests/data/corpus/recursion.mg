boss(/ann, /bo). boss(/bo, /cy). boss(/cy, /di).
above(X, Y) :- boss(X, Y).
above(X, Z) :- above(X, Y), boss(Y, Z).
