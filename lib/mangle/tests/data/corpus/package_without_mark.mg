Package depot.
crate(/a).
