s("a\qb").
