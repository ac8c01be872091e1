b(b"raw"). b(b"\x80\x81"). b(b"é").
utf8() :- b(b"\xc3\xa9").
text("raw").
apart() :- text("raw"), !text_is_bytes().
text_is_bytes() :- text(X), b(X).
