//! Other readings of a text: what a decoder, a normaliser or a lenient parser may make of it.

mod decode;

pub(crate) use decode::{Decoded, has_unicode_percent, needless_escape, numbers_unescaped, percent_decode, unescape};

use unicode_normalization::UnicodeNormalization;

/// Returns the compatibility form (NFKC), in which lookalike slashes and dots are plain too. Returns `None` if the text
/// does not change.
pub(crate) fn folded(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let folded: String = text.nfkc().map(plain).collect();
    (folded != text).then_some(folded)
}

fn plain(c: char) -> char {
    match c {
        '\u{2044}' | '\u{2215}' | '\u{29f8}' | '\u{1735}' => '/',
        '\u{2216}' | '\u{29f5}' | '\u{29f9}' => '\\',
        '\u{3002}' | '\u{ff61}' => '.',
        other => other,
    }
}

/// Returns the first invisible character: control characters except tab and newline, and those that hide or reorder
/// text.
pub(crate) fn invisible(text: &str) -> Option<(usize, char)> {
    text.char_indices().find(|(_, c)| is_invisible(*c))
}

/// Returns whether a character is invisible, or makes others appear in another order.
pub(crate) fn is_invisible(c: char) -> bool {
    match c {
        '\t' | '\n' => false,
        // These join emoji and letters of some scripts; they hide nothing by themselves.
        '\u{200d}' | '\u{200c}' => false,
        c if c.is_control() => true,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}' => true,
        _ => false,
    }
}
