//! SHA-256 of tokens, arguments, definitions and sealed requests.

use aws_lc_rs::digest::{SHA256, digest};
use model::Digest;

/// Computes the SHA-256 digest of bytes.
#[must_use]
pub fn sha256(bytes: &[u8]) -> Digest {
    let mut sum = [0; 32];
    sum.copy_from_slice(digest(&SHA256, bytes).as_ref());
    Digest(sum)
}
