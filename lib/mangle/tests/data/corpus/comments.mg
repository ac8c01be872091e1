# before
size(/box, "# is text"). # after
big(X) # between
  :- size(X, _). # no line end at the end
