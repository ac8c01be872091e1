size(/box, 3,).
big(X,) :- size(X, 3), size(X, _),.
all([1, 2,], {/a : 1,}, [/k : 1,]).
