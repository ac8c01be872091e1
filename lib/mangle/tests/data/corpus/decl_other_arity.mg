Decl lamp(Where).
lamp(/hall, "amber").
