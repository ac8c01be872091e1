at(/crates.io/fnv). at(/v1/a-b_c~d%20e). at(/A/9).
