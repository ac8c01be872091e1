Decl config(Key, Value) descr [fundep([Key], [Value])] bound [/string, /string].
config("a", "b"). config("c", "b").
