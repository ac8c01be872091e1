room(/a). room(/b). booked(/b).
free(R) :- !booked(R), room(R).
