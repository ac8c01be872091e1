Decl tool(X) bound [/tool].
tool(/tool).
