//! Splits a path into anchor and segments, and finds segments that only some readers take for `..`.

use super::refusal::Refusal;
use crate::finding::shown;

/// A path in parts; `..` is not resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path<'a> {
    pub(crate) anchor: Anchor,
    pub(crate) segments: Vec<&'a str>,
}

/// The beginning of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// The working folder.
    Relative,
    /// The root of the file system.
    Root,
    /// A drive, in lower case.
    Drive(char),
    /// A place outside: a home, a server, another protocol.
    Elsewhere,
}

const SLASHES: [char; 2] = ['/', '\\'];

/// Returns the first segment that is not `..`, but that some reader takes for it.
pub(super) fn disguised(text: &str) -> Option<&str> {
    // A slash and a backslash about a dot: removed as a pair, they leave two dots.
    if text.contains('\\')
        && let Some(mixed) = ["./\\", ".\\/", "/\\.", "\\/."].into_iter().find(|mixed| text.contains(mixed))
    {
        return Some(mixed);
    }
    text.split(SLASHES).find(|segment| *segment != ".." && is_disguised(segment))
}

/// Splits a path. Both slashes separate.
pub(crate) fn parse(text: &str) -> Result<Path<'_>, Refusal> {
    let (anchor, rest) = anchor(text);
    let mut segments = Vec::new();
    for segment in rest.split(SLASHES).filter(|segment| !segment.is_empty() && *segment != ".") {
        if segment.contains("::$") {
            let reason = format!("`{}` names a stream of a file, not a file", shown(segment));
            return Err(Refusal::new("path.stream", reason));
        }
        segments.push(segment);
    }
    Ok(Path { anchor, segments })
}

fn anchor(text: &str) -> (Anchor, &str) {
    let is_slash = |c: char| c == '/' || c == '\\';
    let text = text.trim_start_matches(' ');
    if let Some((scheme, rest)) = text.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) {
        let mut letters = scheme.chars();
        return match (letters.next(), letters.next()) {
            (Some(letter), None) => (Anchor::Drive(letter.to_ascii_lowercase()), rest),
            _ if scheme.eq_ignore_ascii_case("file") => file_url(rest),
            // A scheme needs its slashes; otherwise it is a colon in a name.
            _ if rest.starts_with("//") => (Anchor::Elsewhere, rest),
            _ => (Anchor::Relative, text),
        };
    }
    let slashes = text.chars().take_while(|c| is_slash(*c)).count();
    match slashes {
        0 if text == "~" || text.starts_with("~/") || text.starts_with("~\\") => (Anchor::Elsewhere, text),
        0 => (Anchor::Relative, text),
        2 if text.starts_with('\\') => (Anchor::Elsewhere, text),
        _ => drive_behind_slash(&text[slashes..]),
    }
}

/// Recognises `/C:/…`, as file URLs write it.
fn drive_behind_slash(rest: &str) -> (Anchor, &str) {
    let mut chars = rest.chars();
    match (chars.next(), chars.next()) {
        (Some(letter), Some(':' | '|')) if letter.is_ascii_alphabetic() => (Anchor::Drive(letter.to_ascii_lowercase()), chars.as_str()),
        _ => (Anchor::Root, rest),
    }
}

fn file_url(rest: &str) -> (Anchor, &str) {
    match rest.strip_prefix("//") {
        None => anchor(rest),
        Some(after) if after.starts_with('/') => drive_behind_slash(after.trim_start_matches('/')),
        Some(after) => match after.split_once('/') {
            Some((host, path)) if host.eq_ignore_ascii_case("localhost") => drive_behind_slash(path),
            _ => (Anchor::Elsewhere, after),
        },
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// Returns whether a segment is dots with only ignored characters: spaces and dots at the end, parameters behind `;`, a
/// broken escape. Some reader drops each of them, and three or more dots are two or more steps, or become `..` once a
/// filter has removed two.
fn is_disguised(segment: &str) -> bool {
    let name = segment.split(';').next().unwrap_or_default();
    let dropped = |c: char| c.is_whitespace() || matches!(c, '%' | '"' | '\'' | '<' | '>' | '|' | '*' | '?');
    let is_dots = name.chars().all(|c| c == '.' || dropped(c)) && name.chars().filter(|c| *c == '.').count() >= 2;
    is_dots || is_pattern_of_dots(name) || has_lame_separator(name)
}

/// Returns whether a segment is a pattern that matches `..`, such as `.?` or `??`: some readers expand it to that.
fn is_pattern_of_dots(name: &str) -> bool {
    let name = name.split('%').next().unwrap_or_default();
    name.len() == 2 && name.contains('?') && name.chars().all(|c| matches!(c, '.' | '?'))
}

/// Returns whether dots are followed by a slash with a damaged escape: `..2fx`, `..%bgx`.
fn has_lame_separator(name: &str) -> bool {
    let Some(behind) = name.strip_prefix("..") else { return false };
    let slash = ["2f", "5c", "2F", "5C"].iter().any(|hex| behind.starts_with(hex));
    let broken = behind
        .strip_prefix('%')
        .is_some_and(|escape| escape.len() < 2 || !escape.bytes().take(2).all(|byte| byte.is_ascii_hexdigit()));
    broken || (slash && (behind.len() == 2 || behind[2..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '.')))
}
