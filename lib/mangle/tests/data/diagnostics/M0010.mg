ready().
go() :- ready.
