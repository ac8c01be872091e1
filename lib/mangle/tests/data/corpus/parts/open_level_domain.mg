tool(/axe).
