//! The Chancery gateway.
fn main() {}
