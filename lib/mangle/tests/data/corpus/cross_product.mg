hat(/red). hat(/blue). coat(/long). coat(/short).
outfit(H, C) :- hat(H), coat(C).
