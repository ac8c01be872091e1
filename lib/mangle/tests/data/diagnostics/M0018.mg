list([1, 2.
next(/a).
