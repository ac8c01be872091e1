//! Writes an array around values that stay as they are.

use jsonrpc::Raw;

/// Writes values as an array.
pub(crate) fn array<'a>(items: impl IntoIterator<Item = &'a Raw>, out: &mut Vec<u8>) {
    out.push(b'[');
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        out.extend_from_slice(item.bytes());
    }
    out.push(b']');
}
