//! Digests of the settings that make a difference.

use std::fmt::Write as _;

use aws_lc_rs::digest::{Context, SHA256, digest};

/// A SHA-256 over fields, each preceded by its length so that no two lists of fields give the same bytes.
pub struct Digest(Context);

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Digest(..)")
    }
}

impl Digest {
    /// Starts a digest without fields, in a domain of its own.
    #[must_use]
    pub fn new(domain: &str) -> Self {
        Self(Context::new(&SHA256)).text(domain)
    }

    /// Adds one field.
    #[must_use]
    pub fn text(mut self, field: &str) -> Self {
        self.0.update(&(field.len() as u64).to_le_bytes());
        self.0.update(field.as_bytes());
        self
    }

    /// Adds one field that is a secret, as a digest of its own.
    #[must_use]
    pub fn secret(self, field: &str) -> Self {
        self.text(&of_bytes(field.as_bytes()))
    }

    /// Returns the digest in 64 hexadecimal digits.
    #[must_use]
    pub fn finish(self) -> String {
        hex(self.0.finish().as_ref())
    }
}

/// Returns the digest of some bytes, in 64 hexadecimal digits.
#[must_use]
pub fn of_bytes(bytes: &[u8]) -> String {
    hex(digest(&SHA256, bytes).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        // Writing into a string can't fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}
