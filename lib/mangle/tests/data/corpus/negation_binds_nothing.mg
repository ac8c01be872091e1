room(/a). booked(/b).
free(R) :- !booked(R).
