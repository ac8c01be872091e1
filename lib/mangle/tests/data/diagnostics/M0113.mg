Package depot!
Use depot!
crate(/a).
