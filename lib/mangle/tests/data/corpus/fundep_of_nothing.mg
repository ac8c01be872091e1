Decl config(Key, Value) descr [fundep([Name], [Value])] bound [/string, /string].
config("a", "b").
