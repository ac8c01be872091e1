room(/a).
free(R) :- room(R), !taken(R).
taken(R) :- room(R), !free(R).
