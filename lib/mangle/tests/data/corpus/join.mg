lives(/ann, /rome). lives(/bo, /oslo). land(/rome, /italy). land(/oslo, /norway). speaks(/italy, "ciao").
greet(P, W) :- lives(P, C), land(C, L), speaks(L, W).
