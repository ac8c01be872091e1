//! The keys that seal state which clients carry for the gateway (DESIGN 10).

use std::fmt;

/// A key of 256 bits. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct SealKey {
    id: u64,
    bytes: [u8; 32],
}

impl SealKey {
    /// Makes a key of its bytes, as a store that remembers it does.
    #[must_use]
    pub fn new(id: u64, bytes: [u8; 32]) -> Self {
        Self { id, bytes }
    }

    /// Returns the key's number: later keys have higher numbers. It is not secret.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns the key itself, for the one place that seals. It outlives the process: a counter of nonces must not
    /// start anew with it.
    #[must_use]
    pub fn expose(&self) -> &[u8; 32] {
        &self.bytes
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealKey({}, ***)", self.id)
    }
}

/// The key that seals, and the one before it, which still opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealKeys {
    /// Seals and opens.
    pub current: SealKey,
    /// Opens only.
    pub previous: Option<SealKey>,
}

/// Returns fresh bytes for a key, from the system.
pub(crate) fn fresh() -> [u8; 32] {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).expect("the system has a source of randomness");
    bytes
}
