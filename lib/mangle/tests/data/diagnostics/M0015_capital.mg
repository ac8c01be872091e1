Person(/ann).
