Decl tool(Id) descr [doc("On the wall."), arg(Price, "no such argument")] bound [/name].
tool(/saw).
