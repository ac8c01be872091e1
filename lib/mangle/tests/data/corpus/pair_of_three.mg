p(fn:pair(1, 2, 3)).
