Decl tool(X) bound [/tool].
tool(/toolbox/saw).
