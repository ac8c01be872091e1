//! Finds URLs and hosts inside any text.

use std::net::IpAddr;
use std::ops::Range;

/// How many addresses are searched for in one text.
pub(crate) const MAX_FOUND: usize = 1000;

/// An address in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The place of the address.
    pub span: Range<usize>,
    /// The kind of the address.
    pub kind: Kind,
}

/// The kind of an address in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An address with a scheme, or two slashes.
    Url,
    /// A host that is the whole text.
    Host,
}

/// Finds URLs in a text, and the text itself if it is an address of a machine as a whole.
#[must_use]
pub fn find(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("//").map(|at| from + at) {
        if found.len() == MAX_FOUND {
            break;
        }
        let start = scheme_start(text, at);
        let end = text[at + 2..]
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`' | '|' | '^'))
            .map_or(text.len(), |length| at + 2 + length);
        from = end.max(at + 2);
        let is_url = start < at || (start == at && is_free(text, at) && end > at + 2);
        if is_url {
            let end = trimmed(text, at + 2, end);
            found.push(Found {
                span: start..end,
                kind: Kind::Url,
            });
        }
    }
    let whole = text.trim();
    if found.is_empty() && is_machine(whole) {
        let start = text.len() - text.trim_start().len();
        found.push(Found {
            span: start..start + whole.len(),
            kind: Kind::Host,
        });
    }
    found
}

/// Returns where the scheme before `//` begins; `at` when there is none.
fn scheme_start(text: &str, at: usize) -> usize {
    let Some(before) = text[..at].strip_suffix(':') else { return at };
    let length = before
        .chars()
        .rev()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | ':'))
        .count();
    let start = before.len() - length;
    if before[start..].starts_with(|c: char| c.is_ascii_alphabetic()) {
        start
    } else {
        at
    }
}

/// Returns whether `//host` is at the beginning, not in the middle of a path or a comment.
fn is_free(text: &str, at: usize) -> bool {
    let behind = text[at + 2..].chars().next();
    at == 0 && behind.is_some_and(|c| c.is_ascii_alphanumeric() || c == '[')
}

/// Cuts punctuation off the end of an address, where a sentence may end.
fn trimmed(text: &str, start: usize, end: usize) -> usize {
    let url = &text[start..end];
    let mut kept = url.trim_end_matches(['.', ',', ';', '!', ')', '}']);
    if url[kept.len()..].starts_with(')') && kept.contains('(') {
        kept = &url[..=kept.len()];
    }
    start + kept.len()
}

/// Returns whether a text is an address of a machine by itself: numbers in any form that parsers accept, or
/// `localhost`.
fn is_machine(text: &str) -> bool {
    if text.is_empty() || text.len() > 253 || text.contains(char::is_whitespace) {
        return false;
    }
    let host = match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') && !port.is_empty() && port.chars().all(|c| c.is_ascii_digit()) => host,
        _ => text,
    };
    let host = host.trim_end_matches('.');
    let numeric = host.contains('.') && host.split('.').count() == 4 && host.split('.').all(is_number);
    let bracketed = text.starts_with('[') && text.contains("]");
    let six = text.matches(':').count() >= 2 && text.parse::<IpAddr>().is_ok();
    numeric
        || bracketed
            && text
                .trim_start_matches('[')
                .split(']')
                .next()
                .is_some_and(|inner| inner.parse::<IpAddr>().is_ok())
        || six
        || host.eq_ignore_ascii_case("localhost")
}

fn is_number(part: &str) -> bool {
    let hex = part.strip_prefix("0x").or_else(|| part.strip_prefix("0X"));
    !part.is_empty()
        && hex.map_or_else(
            || part.chars().all(|c| c.is_ascii_digit()),
            |hex| hex.chars().all(|c| c.is_ascii_hexdigit()),
        )
}
