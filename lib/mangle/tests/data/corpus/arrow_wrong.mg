size(/box, 3).
big(X) <- size(X, 3).
