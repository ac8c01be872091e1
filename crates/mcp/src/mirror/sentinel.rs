//! How a text that no header can carry is carried in one: `=?base64?…?=`.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

fn inner(value: &str) -> Option<&str> {
    value.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)
}

/// The text as a header value: itself where that is safe, else in Base64. Tabs count as unsafe also inside.
#[must_use]
pub fn encode(text: &str) -> Cow<'_, str> {
    let plain = text.bytes().all(|b| matches!(b, 0x20..=0x7e)) && !text.starts_with(' ') && !text.ends_with(' ');
    if plain && inner(text).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(text)))
}

/// The text that a header value carries. `None` where it holds what no header value may, or where between the markers stands no Base64 (with its
/// padding) of UTF-8.
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
