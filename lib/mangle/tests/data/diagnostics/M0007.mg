p(/a) q(/b).
