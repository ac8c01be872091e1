b(b"raw).
