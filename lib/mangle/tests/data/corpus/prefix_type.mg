Decl tool(X) bound [/tool].
Decl any(X) bound [/name].
tool(/tool/fs/read). tool(/tool/saw).
any(X) :- tool(X).
