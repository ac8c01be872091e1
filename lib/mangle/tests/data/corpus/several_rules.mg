cat(/tom). dog(/rex). dog(/ida).
pet(X) :- cat(X).
pet(X) :- dog(X).
pet(/fish).
