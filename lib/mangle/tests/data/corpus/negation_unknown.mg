room(/a).
free(R) :- room(R), !booked(R).
