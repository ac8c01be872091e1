s(`never closed).
