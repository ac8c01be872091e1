Decl wanted(User, Tool) descr [session()] bound [/name, /name].
#! policy
Decl trusted(User) descr [extensional()] bound [/name].
trusted(/ann).
allowed(User, Tool) :- trusted(User), wanted(User, Tool).
#! client
wanted(/mallory, /saw).
trusted(/mallory).
