Decl lamp(Where)
lamp(/hall).
