note("it does not end).
next(/a).
