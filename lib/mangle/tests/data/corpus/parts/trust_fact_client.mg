allowed(/drill).
