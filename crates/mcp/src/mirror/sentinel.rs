//! Encodes texts that no header can carry: `=?base64?…?=`.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

fn inner(value: &str) -> Option<&str> {
    value.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)
}

/// Returns the text as a header value: unchanged where that is safe, else in Base64. Tabs count as unsafe also inside.
#[must_use]
pub fn encode(text: &str) -> Cow<'_, str> {
    let plain = text.bytes().all(|b| matches!(b, 0x20..=0x7e)) && !text.starts_with(' ') && !text.ends_with(' ');
    if plain && inner(text).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(text)))
}

/// Decodes the text of a header value. Returns `None` where it holds bytes that no header value may, or where the part
/// between the markers is not Base64 (with its padding) of UTF-8.
#[must_use]
pub fn decode(value: &str) -> Option<Cow<'_, str>> {
    let value = value.trim_matches([' ', '\t']);
    if !value.bytes().all(|b| matches!(b, 0x20..=0x7e | b'\t')) {
        return None;
    }
    match inner(value) {
        None => Some(Cow::Borrowed(value)),
        Some(inner) => String::from_utf8(STANDARD.decode(inner).ok()?).ok().map(Cow::Owned),
    }
}
