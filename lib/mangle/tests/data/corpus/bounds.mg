Decl entry(Key, Value) bound [/string, /number] bound [/string, /string].
entry("a", 1). entry("a", "one").
