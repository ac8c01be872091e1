s({/name : "tea", /price : 3}). s({/price : 3, /name : "tea"}). s({}). s({,}).
name(X) :- s(S), :match_field(S, /name, X).
