//! Random names that cannot be guessed.

/// Returns 128 random bits in hex, for task and session ids: knowing the name is the permission to use it.
pub(crate) fn name() -> String {
    let mut bytes = [0u8; 16];
    fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Fills `bytes` with randomness.
pub(crate) fn fill(bytes: &mut [u8]) {
    aws_lc_rs::rand::fill(bytes).expect("the operating system has a source of randomness");
}
