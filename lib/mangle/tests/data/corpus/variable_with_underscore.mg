size(/box, 3).
big(My_Box) :- size(My_Box, 3).
