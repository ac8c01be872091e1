share(fn:div(6, 0)).
