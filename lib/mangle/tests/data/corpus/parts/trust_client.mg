tool(/saw). tool(/drill).
