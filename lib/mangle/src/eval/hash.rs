//! The keyed hash of rows and interned values: a multiplication folds each word in, and a last one spreads the result.
//!
//! Clients may choose rows and strings, so the keys come from a seed that only the host knows
//! ([`crate::eval::Options::seed`]): without it, they cannot choose rows that all hash to one place. Nothing that is
//! printed or counted depends on the seed.

/// An odd number without pattern (the fraction of the golden ratio).
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The keys that two words are mixed with before they are multiplied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    first: u64,
    second: u64,
}

impl Default for Keys {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Keys {
    pub(crate) const fn new(seed: u64) -> Self {
        Self {
            first: scramble(seed),
            // Odd, so that no factor is zero for every word.
            second: scramble(seed ^ ODD) | 1,
        }
    }

    /// Returns the hash of a row, or of the key columns of a row.
    #[inline(always)]
    pub(crate) fn row(self, row: &[u64]) -> u64 {
        match *row {
            [a, b] => self.pair(a, b),
            _ => self.words(row.iter().copied()),
        }
    }

    /// Returns the hash that [`Self::row`] gives for the words in these columns.
    #[inline(always)]
    pub(crate) fn columns(self, row: &[u64], columns: &[u16]) -> u64 {
        match *columns {
            [a, b] => self.pair(row[usize::from(a)], row[usize::from(b)]),
            _ => self.words(columns.iter().map(|&column| row[usize::from(column)])),
        }
    }

    /// Returns the hash of words, however many.
    #[inline(always)]
    pub(crate) fn words(self, words: impl Iterator<Item = u64>) -> u64 {
        finish(words.fold(1, |hash, word| self.fold(hash, word)))
    }

    /// Returns the hash of bytes.
    pub(crate) fn bytes(self, bytes: &[u8]) -> u64 {
        let mut chunks = bytes.chunks_exact(8);
        let mut hash = bytes.len() as u64;
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            hash = self.fold(hash, u64::from_le_bytes(word));
        }
        let mut word = [0; 8];
        let rest = chunks.remainder();
        word[..rest.len()].copy_from_slice(rest);
        finish(self.fold(hash, u64::from_le_bytes(word)))
    }

    /// Returns the hash of two words: one multiplication is enough.
    #[inline(always)]
    const fn pair(self, first: u64, second: u64) -> u64 {
        finish(multiply(first ^ self.first, second.rotate_left(32) ^ self.second))
    }

    #[inline(always)]
    const fn fold(self, hash: u64, word: u64) -> u64 {
        multiply(word ^ hash.rotate_left(23) ^ self.first, self.second)
    }
}

/// Returns both halves of the product, folded into one word.
#[inline(always)]
const fn multiply(left: u64, right: u64) -> u64 {
    let product = (left as u128).wrapping_mul(right as u128);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Spreads the bits of a hash: every bit affects the upper ones, which a table uses.
#[inline(always)]
const fn finish(hash: u64) -> u64 {
    hash.wrapping_mul(ODD)
}

/// Scrambles a seed with SplitMix64: seeds that differ in one bit give keys that differ in half of their bits.
const fn scramble(seed: u64) -> u64 {
    let word = seed.wrapping_add(ODD);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
