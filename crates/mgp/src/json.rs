//! Reads and shows values of peers.

use jsonrpc::{Raw, RawKind};

/// Returns the texts of an array; `None` if it is no array, longer than `most`, or contains other values.
pub(crate) fn texts(array: &Raw, most: usize) -> Option<Vec<String>> {
    if array.kind() != RawKind::Array {
        return None;
    }
    let mut found = Vec::new();
    for element in array.elements() {
        if found.len() == most {
            return None;
        }
        found.push(element.as_str()?.into_owned());
    }
    Some(found)
}

/// Returns a peer's text for a message of ours: on one line, without control and direction characters, and cut if it is long.
pub(crate) fn shown(text: &str) -> String {
    const SHOWN: usize = 120;
    let is_plain =
        |c: char| !c.is_control() && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let mut out: String = text.chars().take(SHOWN).map(|c| if is_plain(c) { c } else { '\u{fffd}' }).collect();
    if text.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}
