p(1).
q(1) :- p(My_value).
