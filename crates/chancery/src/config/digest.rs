//! Digests of what makes a difference.

use std::fmt::Write as _;

use aws_lc_rs::digest::{Context, SHA256, digest};

/// A SHA-256 over fields, each with its length before it so that no two lists of fields look alike.
pub struct Digest(Context);

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Digest(..)")
    }
}

impl Digest {
    /// Over nothing yet, in a domain of its own.
    #[must_use]
    pub fn new(domain: &str) -> Self {
        Self(Context::new(&SHA256)).text(domain)
    }

    /// One more field.
    #[must_use]
    pub fn text(mut self, field: &str) -> Self {
        self.0.update(&(field.len() as u64).to_le_bytes());
        self.0.update(field.as_bytes());
        self
    }

    /// One more field that is a secret: it goes in as its own digest.
    #[must_use]
    pub fn secret(self, field: &str) -> Self {
        self.text(&of_bytes(field.as_bytes()))
    }

    /// The digest in 64 hexadecimal digits.
    #[must_use]
    pub fn finish(self) -> String {
        hex(self.0.finish().as_ref())
    }
}

/// The digest of some bytes, in 64 hexadecimal digits.
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
