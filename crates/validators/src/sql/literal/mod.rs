//! Judges a value that a server may put into a statement: it has to stay one value, even if the server forgot to quote
//! it.
//!
//! Names have apostrophes, and sentences say "or", "union" and "select". They are an injection because of what follows:
//! an operator with operands behind a quote, a comment that cuts off the rest, a second query. The value is read as its
//! statement would be, in each of its quotes, and decoded.

mod continued;
mod pieces;
mod queries;

use std::borrow::Cow;

use self::continued::{continues, sum_of_constants};
use self::pieces::lex;
use self::queries::{probe, second_query};
use crate::finding::Findings;
use crate::text::{self, Decoded};

const MAX_BYTES: usize = 64 * 1024;
const MAX_ROUNDS: usize = 3;
const HINT: &str = "give a plain value; quotes in names are fine, operators behind them are not";

/// Judges a value that is meant to be one literal.
#[must_use]
pub fn check(text: &str) -> Findings {
    let mut findings = Findings::default();
    let all = 0..text.len();
    if text.len() > MAX_BYTES {
        findings.add("sql.length", all, "the value is longer than 64 KiB", "give less at a time");
        return findings;
    }
    if let Some((at, c)) = text
        .char_indices()
        .find(|(_, c)| c.is_control() && !matches!(c, '\t' | '\n' | '\r'))
    {
        let reason = format!("a value has no control character, here U+{:04X}", u32::from(c));
        findings.add("sql.characters", at..at + c.len_utf8(), reason, "leave it out");
        return findings;
    }
    if let Some(why) = readings(text) {
        findings.add("sql.injection", all, why, HINT);
    }
    findings
}

/// Judges the text as it stands, and as an intermediary may decode it.
fn readings(text: &str) -> Option<&'static str> {
    let mut now = Cow::Borrowed(text);
    for _ in 0..=MAX_ROUNDS {
        if let Some(why) = injection(&now) {
            return Some(why);
        }
        if let Some(why) = text::folded(&now).and_then(|folded| injection(&folded)) {
            return Some(why);
        }
        if !now.contains(' ')
            && now.contains('+')
            && let Some(why) = injection(&now.replace('+', " "))
        {
            return Some(why);
        }
        match text::percent_decode(&now) {
            Decoded::Text(decoded) => now = Cow::Owned(decoded),
            Decoded::Same | Decoded::Malformed => break,
        }
    }
    text::unescape(text)
        .and_then(|unescaped| injection(&unescaped))
        .or_else(|| markup_decoded(text).and_then(|decoded| injection(&decoded)))
        .or_else(|| without_comments(text).and_then(|joined| injection(&joined)))
}

/// Decodes quotes and signs as web pages write them; `None` when there are none.
fn markup_decoded(text: &str) -> Option<String> {
    const ENTITIES: &[(&str, &str)] = &[
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    let decoded = ENTITIES
        .iter()
        .fold(text.to_owned(), |text, (entity, sign)| text.replace(entity, sign));
    (decoded != text).then_some(decoded)
}

/// Removes comments inside a word, `sel/**/ect`, as a filter may do. Returns `None` when there are none.
fn without_comments(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        let length = rest[start..].find("*/")?;
        out.push_str(&rest[..start]);
        rest = &rest[start + length + 2..];
    }
    out.push_str(rest);
    (out.len() < text.len()).then_some(out)
}

/// Judges one reading in each place where it may stand: at the start, and behind each quote of its own.
fn injection(text: &str) -> Option<&'static str> {
    if only_quotes_and_operators(text) {
        return Some("it is nothing but quotes and operators");
    }
    if text.contains("/*!") {
        return Some("some databases run what stands in such a comment");
    }
    let pieces = lex(text);
    begins_badly(text)
        .or_else(|| second_query(&pieces))
        .or_else(|| probe(&pieces))
        .or_else(|| sum_of_constants(&pieces))
        .or_else(|| continues(&pieces, 0))
        .or_else(|| {
            let quotes = pieces.iter().enumerate().filter(|(_, piece)| piece.is_quote());
            quotes.take(64).find_map(|(at, _)| continues(&pieces, at + 1))
        })
}

fn only_quotes_and_operators(text: &str) -> bool {
    let quotes = text.chars().filter(|c| matches!(c, '\'' | '"' | '`')).count();
    quotes >= 2
        && text.len() <= 64
        && text.chars().all(|c| !c.is_alphanumeric() && !is_bracket(c))
        && text.chars().any(|c| !matches!(c, '"') || text.contains("\"\"\"") || text.len() > 2)
}

fn is_bracket(c: char) -> bool {
    matches!(c, '[' | '{')
}

/// Returns whether a comment at the beginning cuts off what follows the value, or an operator or an open quote takes it
/// in.
fn begins_badly(text: &str) -> Option<&'static str> {
    let start = text.trim_start().trim_start_matches([';', ')']);
    let cuts = start.starts_with("-- ")
        || start.starts_with("--+")
        || start.starts_with("/*")
        || start.starts_with("# ")
        || start.starts_with("#\t")
        || matches!(start, "--" | "#" | "-- -");
    if cuts {
        return Some("it begins with a comment, which cuts off the rest of the statement");
    }
    let operator = text.trim_start().starts_with(';') || text.trim_start().starts_with("||");
    if operator {
        return Some("it begins with an operator");
    }
    let first = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'))?;
    let open = text.matches(first).count() % 2 == 1 && text[1..].starts_with(char::is_whitespace);
    open.then_some("it opens a quote that nothing closes")
}
