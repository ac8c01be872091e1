room(/a). room(/b). booked(/b, 5). booked(/c, 5).
free(R) :- room(R), !booked(R, _).
five(R) :- room(R), !booked(R, 5).
