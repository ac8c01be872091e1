//! The hash of rows and interned things: two multiplications fold into one word. The same on every machine and run;
//! nothing that is printed depends on it.

/// An odd number without pattern (the fraction of the golden ratio).
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
const MIX: u64 = 0xd6e8_feb8_6659_fd93;

/// Folds one more word into a hash.
#[inline(always)]
pub(crate) const fn fold(hash: u64, word: u64) -> u64 {
    let product = ((word ^ hash.rotate_left(23) ^ MIX) as u128).wrapping_mul(ODD as u128);
    (product as u64) ^ ((product >> 64) as u64)
}

/// The hash of two words: one multiplication is enough.
#[inline(always)]
pub(crate) const fn fold_pair(first: u64, second: u64) -> u64 {
    let product = ((first ^ MIX) as u128).wrapping_mul((second.rotate_left(32) ^ ODD) as u128);
    (product as u64) ^ ((product >> 64) as u64)
}

/// The hash of bytes.
pub(crate) fn fold_bytes(bytes: &[u8]) -> u64 {
    let mut chunks = bytes.chunks_exact(8);
    let mut hash = bytes.len() as u64;
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        hash = fold(hash, u64::from_le_bytes(word));
    }
    let mut word = [0; 8];
    let rest = chunks.remainder();
    word[..rest.len()].copy_from_slice(rest);
    fold(hash, u64::from_le_bytes(word))
}
