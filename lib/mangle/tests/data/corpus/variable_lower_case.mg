size(/box, 3).
big(x) :- size(x, 3).
