call(/ann, _).
