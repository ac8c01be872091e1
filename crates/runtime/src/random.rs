//! Randomness of the operating system: session ids, request ids, keys.

/// Fills a buffer with randomness of the operating system.
///
/// # Panics
/// When the operating system has no source of randomness: then the gateway can do nothing safely.
pub fn fill(bytes: &mut [u8]) {
    // The generator of aws-lc first collects jitter for a tenth of a second; the system's generator is ready at once.
    getrandom::fill(bytes).expect("the system has a source of randomness");
}

/// Makes 128 random bits as 32 hexadecimal digits: a session id, a request id, a part of a token.
#[must_use]
pub fn token() -> String {
    let mut bytes = [0_u8; 16];
    fill(&mut bytes);
    bytes.iter().fold(String::with_capacity(32), |mut text, byte| {
        text.push(char::from(b"0123456789abcdef"[usize::from(byte >> 4)]));
        text.push(char::from(b"0123456789abcdef"[usize::from(byte & 15)]));
        text
    })
}

/// Makes 64 random bits.
#[must_use]
pub fn number() -> u64 {
    let mut bytes = [0_u8; 8];
    fill(&mut bytes);
    u64::from_be_bytes(bytes)
}
