//! Judges a value that a server may put into a command line: it has to stay one word, even if the server forgot to
//! quote it.
//!
//! Prose has quotes, brackets, semicolons and ampersands too. They are an injection if a command follows: so every
//! place where a shell would begin a new command is examined, in the text and in its decoded forms, and refused if a
//! command stands there.

mod evidence;

use std::borrow::Cow;

use self::evidence::{Boundary, begins_command, is_command_line};
use crate::finding::{Findings, shown};
use crate::text::{self, Decoded};

const MAX_BYTES: usize = 64 * 1024;
/// How many bytes before a place are examined, to decide whether it is in a sentence.
const PROSE_BYTES: usize = 160;
/// How often a text is decoded while it changes.
const MAX_ROUNDS: usize = 3;

const HINT: &str = "leave out what a shell would run; give words, names or numbers";

/// Judges a value that is meant to be one literal word.
#[must_use]
pub fn check(text: &str) -> Findings {
    let mut findings = Findings::default();
    if text.len() > MAX_BYTES {
        findings.add(
            "shell.length",
            0..text.len(),
            "the value is longer than 64 KiB",
            "give less at a time",
        );
        return findings;
    }
    if let Some((at, c)) = text
        .char_indices()
        .find(|(_, c)| c.is_control() && !matches!(c, '\t' | '\n' | '\r'))
    {
        let reason = format!("a value has no control character, here U+{:04X}", u32::from(c));
        findings.add("shell.characters", at..at + c.len_utf8(), reason, "leave it out");
        return findings;
    }
    if let Some(found) = Reading::raw(text).injection() {
        let reason = format!("a shell would run what begins with `{}`", shown(found.what));
        findings.add("shell.injection", found.at..text.len(), reason, HINT);
        return findings;
    }
    if let Some(what) = decoded_injection(text) {
        let reason = format!("decoded, a shell would run what begins with `{}`", shown(&what));
        findings.add("shell.injection", 0..text.len(), reason, HINT);
    }
    findings
}

fn decoded_injection(text: &str) -> Option<String> {
    let found = |text: &str| {
        let hidden = text
            .char_indices()
            .find(|(_, c)| c.is_control() && !matches!(c, '\t' | '\n' | '\r'));
        let hidden = hidden.map(|(at, _)| text[at..].to_owned());
        hidden.or_else(|| Reading::decoded(text).injection().map(|found| found.what.to_owned()))
    };
    let mut now = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        if let Some(what) = text::unescape(&now).and_then(|unescaped| found(&unescaped)) {
            return Some(what);
        }
        let Decoded::Text(next) = text::percent_decode(&now) else { break };
        if let Some(what) = found(&next) {
            return Some(what);
        }
        now = Cow::Owned(next);
    }
    text::folded(text).and_then(|folded| found(&folded))
}

/// One reading of the value.
#[derive(Clone, Copy, Debug)]
struct Reading<'a> {
    text: &'a str,
    /// Whether a line break was hidden in the encoded text, for which prose has no reason.
    hidden_lines: bool,
}

struct Found<'a> {
    at: usize,
    what: &'a str,
}

impl<'a> Reading<'a> {
    fn raw(text: &'a str) -> Self {
        Self { text, hidden_lines: false }
    }

    fn decoded(text: &'a str) -> Self {
        Self { text, hidden_lines: true }
    }

    /// Returns the first place where a shell would run something.
    fn injection(self) -> Option<Found<'a>> {
        let text = self.text;
        if let Some(what) = whole_command(text) {
            return Some(Found { at: 0, what });
        }
        let is_table = is_table(text);
        let mut backquote: Option<usize> = None;
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let rest = &text[at..];
            let behind = &rest[c.len_utf8()..];
            let leading = is_breakout(&text[..at]);
            let boundary = match c {
                ';' if closes_entity(&text[..at]) => None,
                ';' if leading => Some((Boundary::Leading, 1)),
                ';' => Some((
                    Boundary::Semicolon {
                        prose: is_prose(&text[..at], behind),
                    },
                    1,
                )),
                '|' if is_table => None,
                '|' | '&' if behind.starts_with(c) => Some((if leading { Boundary::Leading } else { Boundary::Operator }, 2)),
                '&' if opens_entity(behind) => None,
                '|' | '&' if leading => Some((Boundary::Leading, 1)),
                '|' => Some((Boundary::Operator, 1)),
                '&' => Some((
                    Boundary::Semicolon {
                        prose: is_prose(&text[..at], behind),
                    },
                    1,
                )),
                '\n' | '\r' if self.hidden_lines || leading => Some((Boundary::Operator, 1)),
                '\n' | '\r' => Some((Boundary::Line, 1)),
                '$' if behind.starts_with('(') => Some((Boundary::Substitution, 2)),
                '$' if behind.starts_with('{') && !is_placeholder(&behind[1..]) => return Some(Found { at, what: rest }),
                '$' if behind.starts_with("IFS") => return Some(Found { at, what: rest }),
                '<' | '>' if behind.starts_with('(') => Some((Boundary::Substitution, 2)),
                '>' if into_file(&text[..at], behind) => return Some(Found { at, what: rest }),
                '(' if is_function(behind) => return Some(Found { at, what: rest }),
                '`' => {
                    let opens = backquote.take().is_none();
                    backquote = opens.then_some(at);
                    let prose = is_prose(&text[..at], " ");
                    (opens && behind.contains('`')).then_some((if prose { Boundary::Span } else { Boundary::Substitution }, 1))
                }
                _ => None,
            };
            let length = boundary.map_or(c.len_utf8(), |(_, length)| length);
            if let Some((boundary, length)) = boundary
                && begins_command(&rest[length..], boundary)
            {
                return Some(Found { at, what: &rest[length..] });
            }
            at += length;
        }
        None
    }
}

/// Returns whether the text before an injection only opens the value: quotes, brackets and blanks, which end an
/// enclosing quotation.
fn is_breakout(before: &str) -> bool {
    before.len() <= 16
        && before
            .chars()
            .all(|c| matches!(c, ' ' | '\t' | '\'' | '"' | ')' | '}' | ']' | '%' | '\\'))
}

/// Returns whether a separator is used as in prose: after a word of a sentence, followed by a blank and a word.
fn is_prose(before: &str, behind: &str) -> bool {
    // The last few words are enough, however long the text is.
    let mut start = before.len().saturating_sub(PROSE_BYTES);
    while !before.is_char_boundary(start) {
        start += 1;
    }
    let words = before[start..]
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphabetic));
    behind.starts_with(' ') && words.take(2).count() == 2
}

/// Returns whether an ampersand begins a character entity: `&amp;`, `&#39;`.
fn opens_entity(behind: &str) -> bool {
    const NAMES: &[&str] = &[
        "amp", "lt", "gt", "quot", "apos", "nbsp", "mdash", "ndash", "hellip", "copy", "reg", "trade", "euro", "deg", "middot", "bull",
    ];
    let Some((name, _)) = behind
        .get(..behind.len().min(10))
        .or(Some(behind))
        .and_then(|start| start.split_once(';'))
    else {
        return false;
    };
    let is_number = name
        .strip_prefix('#')
        .is_some_and(|digits| !digits.is_empty() && digits.trim_start_matches('x').chars().all(|c| c.is_ascii_hexdigit()));
    is_number || NAMES.contains(&name)
}

fn closes_entity(before: &str) -> bool {
    let start = before.char_indices().rev().take(10).find(|(_, c)| *c == '&');
    start.is_some_and(|(at, _)| opens_entity(&format!("{};", &before[at + 1..])))
}

/// Returns whether `${name}` is a template's placeholder: a plain name, not one that shells set.
fn is_placeholder(behind: &str) -> bool {
    let Some((name, _)) = behind.split_once('}') else { return false };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ' '));
    is_name && name != "IFS"
}

/// Returns whether `> /path` is a redirect, not an arrow.
fn into_file(before: &str, behind: &str) -> bool {
    let target = behind.trim_start_matches(['>', '|', '&', ' ']);
    let is_path = target.starts_with('/') && target[1..].starts_with(|c: char| c.is_alphanumeric() || c == '.');
    is_path && !before.ends_with(['-', '=', '<'])
}

/// Returns whether `() {` begins a function, which some shells ran when it was in a variable.
fn is_function(behind: &str) -> bool {
    behind
        .trim_start()
        .strip_prefix(')')
        .is_some_and(|rest| rest.trim_start().starts_with('{'))
}

/// Returns whether the text is a Markdown table: its second line consists of dashes and bars.
fn is_table(text: &str) -> bool {
    text.lines()
        .nth(1)
        .is_some_and(|line| line.contains("--") && line.contains('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')))
}

/// Returns a value that is a command as a whole: it ends with an open operator, requests that code is run, or names
/// where to act.
fn whole_command(text: &str) -> Option<&str> {
    let trimmed = text.trim();
    let start = trimmed.trim_start_matches(['\'', '"', ')', ';', ' ']);
    if trimmed.ends_with(['&', '|', ';', '`']) && begins_command(start, Boundary::Line) {
        return Some(start);
    }
    let call = start.split_once('(').filter(|(name, arguments)| {
        matches!(
            *name,
            "eval" | "exec" | "system" | "popen" | "passthru" | "shell_exec" | "assert" | "os.system" | "__import__"
        ) && arguments.trim_start().starts_with(['\'', '"'])
    });
    if call.is_some() && trimmed.ends_with([';', ')']) {
        return Some(start);
    }
    (is_command_line(trimmed) || is_directive(trimmed)).then_some(trimmed)
}

/// Returns whether the text is a directive of a page that makes the server run something.
fn is_directive(text: &str) -> bool {
    const CALLS: &[&str] = &["system(", "exec(", "passthru(", "popen(", "`"];
    if !text.contains("<!") && !text.contains("<?") {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    lower.contains("<!--#exec") || (lower.contains("<?php") && CALLS.iter().any(|call| lower.contains(call)))
}
