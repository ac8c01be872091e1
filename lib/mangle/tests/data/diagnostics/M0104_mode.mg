Decl p(X) descr [mode('in')].
