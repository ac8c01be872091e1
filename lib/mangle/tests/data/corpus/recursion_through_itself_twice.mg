before(/oak, /elm). before(/elm, /ash). before(/ash, /fir). before(/fir, /yew).
before(/yew, /bay). before(/bay, /box). before(/box, /fig). before(/fig, /ivy).
before(/ivy, /nut). before(/nut, /gum). before(/gum, /kei).
reaches(X, Y) :- before(X, Y).
reaches(X, Z) :- reaches(X, Y), reaches(Y, Z).
ends(Y) :- reaches(/oak, Y), Y != /kei, !before(Y, /kei).
