Package depot!
crate(/a). crate(/b).
