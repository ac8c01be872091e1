tool(/fs/).
