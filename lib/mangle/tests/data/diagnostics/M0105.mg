Decl p(X) descr [extensionl()].
