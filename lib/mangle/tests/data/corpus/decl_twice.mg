Decl lamp(Where).
Decl lamp(Where) bound [/name].
lamp(/hall).
