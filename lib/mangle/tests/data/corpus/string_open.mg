s("never closed).
