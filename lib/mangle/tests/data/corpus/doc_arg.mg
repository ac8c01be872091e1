Decl tool(Id, Cost)
  descr [doc("What is on the wall.", "More."), arg(Id, "which"), arg(Cost, "in coins")]
  bound [/name, /number].
tool(/saw, 40).
