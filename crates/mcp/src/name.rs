//! Spells the names of tools and prompts on the wire (DESIGN 3). The catalogue decides which of its names an item gets,
//! because that depends on all other items.

use model::ServerId;

/// The longest name: model providers accept none that is longer.
pub const MAX_NAME: usize = 64;
/// The separator between server and tool in a qualified name. No server's id contains it.
pub const SEPARATOR: &str = "__";

/// Returns the qualified name `server__name`, shortened where it is too long.
#[must_use]
pub fn qualified(server: &ServerId, name: &str) -> String {
    let full = [server.as_str(), SEPARATOR, name].concat();
    if fits(&full) { full } else { fit(&full, 0) }
}

fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Returns whether a name can be used on the wire unchanged.
#[must_use]
pub fn fits(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && name.bytes().all(is_allowed)
}

/// Returns the name unchanged where it fits and `salt` is 0; else as much of it as fits, with a hash of the name. Each
/// salt gives another hash.
#[must_use]
pub fn fit(name: &str, salt: u64) -> String {
    if salt == 0 && fits(name) {
        return name.to_owned();
    }
    let mark = mark(name, salt);
    let kept = name
        .chars()
        .map(|c| if u8::try_from(c).is_ok_and(is_allowed) { c } else { '_' })
        .take(MAX_NAME - mark.len() - 1);
    kept.chain(['_']).chain(mark.chars()).collect()
}

/// Returns a hash of eight characters that is the same for the same text in every version of the gateway: 40 bits of
/// FNV-1a with the final mixing of MurmurHash3, because FNV alone hardly tells texts apart whose last letters differ.
fn mark(text: &str, salt: u64) -> String {
    const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let salt = salt.to_be_bytes();
    let salt: &[u8] = if salt == [0; 8] { &[] } else { &salt };
    let mut hash = text
        .bytes()
        .chain(salt.iter().copied())
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ hash >> 33).wrapping_mul(factor);
    }
    hash ^= hash >> 33;
    (0..8)
        .map(|i| char::from(DIGITS[usize::try_from(hash >> (5 * i) & 31).unwrap_or(0)]))
        .collect()
}

#[cfg(test)]
mod tests;
