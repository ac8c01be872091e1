p(/a)
q(/b).
