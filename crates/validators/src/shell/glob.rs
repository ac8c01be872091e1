//! Patterns of file names: whether one may match `..` and so leave its folder.

use super::argument::UNKNOWN;
use super::ast::{Unit, Word};

/// The length above which names do not exist, so a longer pattern is not examined.
const MAX_NAME: usize = 255;

/// Returns whether a segment of the word with a pattern in it matches `..`. A pattern matches a leading dot only by a
/// dot of its own.
pub(crate) fn may_step_up(word: &Word) -> bool {
    segments(word).iter().any(|segment| {
        if segment.len() > MAX_NAME {
            return true;
        }
        let has_pattern = segment.iter().any(|(c, plain)| *plain && matches!(c, '*' | '?' | '['));
        has_pattern && matches!(segment.first(), Some(('.', _))) && matches(&segment[1..], ".")
    })
}

fn segments(word: &Word) -> Vec<Vec<(char, bool)>> {
    let mut segments = vec![Vec::new()];
    for unit in &word.units {
        let (c, plain) = match unit {
            Unit::Plain(c) => (*c, true),
            Unit::Quoted(c) => (*c, false),
            Unit::Expansion(_) => (UNKNOWN, false),
        };
        match segments.last_mut() {
            Some(segment) if c != '/' => segment.push((c, plain)),
            _ => segments.push(Vec::new()),
        }
    }
    segments
}

/// Returns whether the pattern matches the text, which has one character at most.
fn matches(pattern: &[(char, bool)], text: &str) -> bool {
    let wanted = text.chars().next();
    let Some(&(c, plain)) = pattern.first() else {
        return wanted.is_none();
    };
    let rest = &pattern[1..];
    match (c, plain, wanted) {
        ('*', true, None) => matches(rest, ""),
        ('*', true, Some(_)) => matches(rest, text) || matches(rest, ""),
        ('?', true, Some(_)) => matches(rest, ""),
        // A class counts as matching, unless it excludes the character: `[^.]`, `[!.]`.
        ('[', true, Some(c)) => {
            let Some(close) = rest.iter().skip(1).position(|(c, _)| *c == ']') else {
                return false;
            };
            let class = &rest[..=close];
            let negated = matches!(class.first(), Some(('^' | '!', _)));
            let holds = class.iter().skip(usize::from(negated)).any(|(one, _)| *one == c);
            (if negated { !holds } else { true }) && matches(&rest[close + 2..], "")
        }
        (c, _, Some(wanted)) => c == wanted && matches(rest, ""),
        (_, _, None) => false,
    }
}
