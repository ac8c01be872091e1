s("plain"). s('single'). s("it's"). s('say "hi"'). s("a\tb\nc\\d"). s("").
s("\u{01f624}"). s("\x41").
equal() :- s("A"), s('single').
