user(/ann). tool(/read). tool(/write).
may(U, T) :- user(U), tool(T).
