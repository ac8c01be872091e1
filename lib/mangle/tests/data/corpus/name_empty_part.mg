at(/a//b).
