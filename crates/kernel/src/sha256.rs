//! SHA-256, of tokens, arguments and definitions.

use aws_lc_rs::digest::{SHA256, digest};
use model::Digest;

/// The digest of bytes.
pub(crate) fn sha256(bytes: &[u8]) -> Digest {
    let mut sum = [0; 32];
    sum.copy_from_slice(digest(&SHA256, bytes).as_ref());
    Digest(sum)
}
