Decl entry(Key, Value) bound [/string, /number] bound [/name, /string].
entry("a", "one").
