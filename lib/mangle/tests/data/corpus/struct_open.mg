s({/name : "tea").
