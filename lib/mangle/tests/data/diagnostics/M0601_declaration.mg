Decl user(Name) descr [session()] bound [/name].
#! policy
allowed(X) :- user(X).
#! client
Decl allowed(X) descr [open(/client)].
allowed(/mallory).
