Decl best(X, D) descr [fundep([X], [D]), merge([D], 'least')].
best(/a, 1).
