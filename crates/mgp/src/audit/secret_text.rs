//! Finds texts that look like a credential, by their shape.

use std::ops::Range;

/// The prefixes of well-known kinds of credentials, with their least lengths.
const BEGINNINGS: [(&str, usize); 19] = [
    ("sk-", 20),
    ("sk_live_", 16),
    ("rk_live_", 16),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("github_pat_", 20),
    ("glpat-", 20),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("xapp-", 16),
    ("AKIA", 20),
    ("ASIA", 20),
    ("AIza", 35),
    ("ya29.", 20),
    ("npm_", 20),
    ("hf_", 20),
    ("pypi-", 20),
];

/// Replaces what looks like a credential by `***`; returns `None` if nothing does. `is_secret` returns whether the value of a name is a secret.
pub(super) fn hide(text: &str, is_secret: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut found = pems(text);
    found.extend(words(text, is_secret));
    if found.is_empty() {
        return None;
    }
    found.sort_by_key(|span| (span.start, span.end));
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for span in found {
        if span.start < copied {
            copied = copied.max(span.end);
            continue;
        }
        out.push_str(&text[copied..span.start]);
        out.push_str("***");
        copied = span.end;
    }
    out.push_str(&text[copied..]);
    Some(out)
}

/// Returns the ranges of private keys: from their header to their footer, or to the end.
fn pems(text: &str) -> Vec<Range<usize>> {
    const BEGIN: &str = "-----BEGIN ";
    const END: &str = "-----END ";
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(BEGIN).map(|at| from + at) {
        let header = &text[start + BEGIN.len()..];
        let header = &header[..header.find("-----").unwrap_or(0)];
        from = start + BEGIN.len();
        if header.ends_with("PRIVATE KEY") {
            let end = text[from..].find(END).map_or(text.len(), |at| from + at);
            found.push(start..end);
            from = end;
        }
    }
    found
}

/// Returns whether a character separates words in commands, headers, addresses and configuration.
fn parts(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\'' | '`' | ',' | ';' | '(' | ')' | '<' | '>' | '[' | ']' | '{' | '}' | '|' | '&'
        )
}

fn words(text: &str, is_secret: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut before = Before::Nothing;
    let mut next = 0;
    for piece in text.split_inclusive(parts) {
        let start = next;
        next += piece.len();
        let word = piece.trim_end_matches(parts);
        if word.is_empty() {
            continue;
        }
        let span = start..start + word.len();
        let announced = std::mem::replace(&mut before, Before::of(word, is_secret));
        let hidden = match announced {
            Before::Nothing => false,
            Before::Name => before != Before::Scheme,
            // `basic` is a word of prose, too.
            Before::Scheme => word.len() >= 8 && !word.chars().all(char::is_alphabetic),
        };
        if hidden {
            before = Before::Nothing;
            found.push(span);
        } else if let Some(at) = credential(word) {
            found.push(start + at..start + word.len());
        } else if let Some(value) = value_of(word, is_secret).or_else(|| user_info(word)) {
            found.push(start + value.start..start + value.end);
        }
    }
    found
}

/// The meaning of a word for the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// The next word is the value of a secret: `--password`, `token:`.
    Name,
    /// The next word is an HTTP credential: `Bearer`, `Basic`.
    Scheme,
}

impl Before {
    fn of(word: &str, is_secret: &dyn Fn(&str) -> bool) -> Self {
        if word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic") {
            Self::Scheme
        } else if announces(word, is_secret) {
            Self::Name
        } else {
            Self::Nothing
        }
    }
}

/// Returns whether a word is a flag or a key whose value is the next word.
fn announces(word: &str, is_secret: &dyn Fn(&str) -> bool) -> bool {
    let name = match (word.strip_prefix('-'), word.strip_suffix([':', '='])) {
        (_, Some(name)) | (Some(name), None) => name.trim_start_matches('-'),
        (None, None) => return false,
    };
    !name.contains(['=', ':', '/']) && is_secret(name)
}

/// Returns the range of the value in `name=value` or `name:value`.
fn value_of(word: &str, is_secret: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    for (at, _) in word.match_indices(['=', ':']) {
        let name = word[..at].rsplit(['?', '=', '/', ':']).next().unwrap_or_default();
        if !name.is_empty() && at + 1 < word.len() && is_secret(name) {
            return Some(at + 1..word.len());
        }
    }
    None
}

/// Returns the range of the user and password of an address.
fn user_info(word: &str) -> Option<Range<usize>> {
    let start = word.find("://")? + 3;
    let authority = &word[start..];
    let authority = &authority[..authority.find(['/', '?', '#']).unwrap_or(authority.len())];
    let end = authority.rfind('@')?;
    authority[..end].contains(':').then_some(start..start + end)
}

/// Returns where in a word a credential begins: at its start, or after a separator of `name=value`, of an address, or of a path.
fn credential(word: &str) -> Option<usize> {
    let inside = word.match_indices(['=', ':', '/', '@', '?']).map(|(at, _)| at + 1);
    std::iter::once(0).chain(inside).find(|at| is_credential(&word[*at..]))
}

fn is_credential(word: &str) -> bool {
    let known = BEGINNINGS
        .iter()
        .any(|(beginning, length)| word.len() >= *length && word.starts_with(beginning));
    // A JSON web token has three parts, the first of which is a JSON object in Base64.
    let token = word.starts_with("eyJ") && word.len() >= 20 && word.matches('.').count() == 2;
    known || token
}
