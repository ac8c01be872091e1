t(fn:tuple()).
