//! Masks the bytes of a configuration text that may belong to a secret. The text alone decides, so that a file that
//! doesn't parse is safe to show too.

use std::sync::Arc;

use super::schema::{Kind, Section, root, sections};
use super::source::Source;

impl Source {
    /// Makes a source of a TOML file, with the name that people know it by.
    #[must_use]
    pub fn toml(name: &str, text: String) -> Arc<Self> {
        let shown = toml(&text);
        Self::new(name, text, shown)
    }

    /// Makes a source of a JSON (or JSONC) file, with the name that people know it by.
    #[must_use]
    pub fn json(name: &str, text: String) -> Arc<Self> {
        let shown = json(&text);
        Self::new(name, text, shown)
    }
}

/// Returns the TOML text with everything masked but keys, structure, `${NAME}` and the values of keys that are known to be harmless.
fn toml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut state = Toml {
        section: Some(&root::SECTION),
        broken: false,
        hidden: true,
        open: None,
    };
    for line in text.split_inclusive('\n') {
        state.line(line, &mut out);
    }
    out
}

/// Returns whether a name (of a variable, header or option) says that its value is a secret.
pub fn names_secret(name: &str) -> bool {
    const WORDS: [&str; 10] = [
        "token",
        "secret",
        "password",
        "passwd",
        "passphrase",
        "credential",
        "auth",
        "key",
        "cookie",
        "bearer",
    ];
    let lower = name.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

struct Toml {
    /// The table that the last header opened, if the schema has it.
    section: Option<&'static Section>,
    /// Whether a string had no end: until the next header it is unknown what is a key and what a value.
    broken: bool,
    /// Whether the value that is being read may contain a secret.
    hidden: bool,
    /// The quotes of a multi-line string that is still open.
    open: Option<&'static str>,
}

impl Toml {
    fn line(&mut self, line: &str, out: &mut String) {
        if self.open.is_none() {
            let trimmed = line.trim_start();
            if trimmed.starts_with('#') {
                return cover(line, out);
            }
            if let Some(length) = header(trimmed) {
                let name = dotted(&trimmed[..length]).join(".");
                self.section = sections().into_iter().find(|section| section.name == name);
                (self.broken, self.hidden) = (false, true);
                let end = line.len() - trimmed.len() + length;
                out.push_str(&line[..end]);
                return cover(&line[end..], out);
            }
            if trimmed.starts_with('[') && !trimmed.contains(['"', '\'', ']']) {
                // A header without its end: what follows is unknown.
                (self.section, self.hidden) = (None, true);
            }
            if let Some(equals) = key_end(line).filter(|_| !self.broken) {
                let key = &line[..equals];
                self.hidden = !self.is_harmless(key) || key.trim() == "url" && !is_plain_url(line);
                out.push_str(&line[..equals]);
                return self.value(&line[equals..], out);
            }
            // Neither a key nor a row of a list: broken, so the value may belong to any key.
            self.hidden |= trimmed.contains('=') || !trimmed.is_empty() && !trimmed.starts_with(['"', '\'', '[', ']', '{', '}', ',']);
        }
        self.value(line, out);
    }

    /// Returns whether the values of a key, in the table where it stands, are never secrets.
    fn is_harmless(&self, key: &str) -> bool {
        let mut section = self.section;
        for part in dotted(key) {
            let Some(key) = section.and_then(|section| section.key(&part)).filter(|key| !key.secret) else {
                return false;
            };
            section = match key.kind {
                Kind::Table(inner) | Kind::Tables(inner) => Some(inner),
                _ => None,
            };
        }
        // The whole of a table in one line may hold anything.
        section.is_none()
    }

    fn value(&mut self, part: &str, out: &mut String) {
        // Strings over several lines are rare, and can contain anything.
        self.hidden |= self.open.is_some() || part.contains("\"\"\"") || part.contains("'''");
        for quotes in ["\"\"\"", "'''"] {
            let count = part.matches(quotes).count();
            match self.open {
                Some(open) if open == quotes && count % 2 == 1 => self.open = None,
                None if count % 2 == 1 => self.open = Some(quotes),
                _ => {}
            }
        }
        let quotes = part.matches('"').count() - part.matches("\\\"").count();
        self.broken |= self.open.is_none() && !quotes.is_multiple_of(2);
        // After an option such as `--api-key` a secret follows; a URL may carry a key in its query or before its `@`.
        self.hidden |= self.broken || names_secret(part) || part.contains("://") && part.contains(['?', '@']);
        let comment = comment_start(part);
        if self.hidden {
            // Only where every string has its end is it certain what is a key of an inline table.
            let keys_are_sure = !self.broken && self.open.is_none() && !part.contains("\"\"\"") && !part.contains("'''");
            let sure = if keys_are_sure { comment } else { 0 };
            cover_values(&part[..sure], out);
            return cover(&part[sure..], out);
        }
        out.push_str(&part[..comment]);
        cover(&part[comment..], out);
    }
}

/// Returns whether a line's URL can contain no secret: no query, no user, nothing but a port behind its colon.
fn is_plain_url(line: &str) -> bool {
    let after = line.split_once("://").map_or(line, |(_, after)| after);
    let odd_port = after
        .split(':')
        .skip(1)
        .any(|port| !port.starts_with(|c: char| c.is_ascii_digit() || c == '$'));
    !line.contains(['?', '@']) && !after.contains('=') && !odd_port
}

/// Returns the length of `[table]` or `[[table]]` where the line is nothing else (a last row of an array looks the same; taken for a
/// header, it hides what follows).
fn header(trimmed: &str) -> Option<usize> {
    let end = trimmed.rfind(']')? + 1;
    let rest = trimmed[end..].trim_start();
    (trimmed.starts_with('[') && (rest.is_empty() || rest.starts_with('#')) && !trimmed[..end].contains(['=', ','])).then_some(end)
}

/// Returns where a trailing comment starts: at the first `#` that an even number of quotes precedes.
fn comment_start(part: &str) -> usize {
    part.match_indices('#')
        .map(|(at, _)| at)
        .find(|&at| part[..at].matches(['"', '\'']).count().is_multiple_of(2))
        .unwrap_or(part.len())
}

/// Returns where the key of `key = value` ends, if the line looks like one.
fn key_end(line: &str) -> Option<usize> {
    let equals = line.find('=')?;
    let key = line[..equals].trim();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'' | ' ' | '\t');
    (!key.is_empty() && key.chars().all(plain)).then_some(equals)
}

fn dotted(text: &str) -> Vec<String> {
    let bare = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '[' | ']'));
    bare.split('.')
        .map(|part| part.trim().trim_matches(['"', '\'']).to_owned())
        .collect()
}

/// Masks the values of a line and leaves the keys of its inline tables: a person who looks for a mistake needs the
/// names.
fn cover_values(text: &str, out: &mut String) {
    let mut brackets = Vec::new();
    let mut key_comes = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let key = key_length(rest).filter(|_| key_comes);
        let length = key.unwrap_or_else(|| match c {
            '"' | '\'' => string_length(rest, c),
            _ => c.len_utf8(),
        });
        let (token, after) = rest.split_at(length);
        match key {
            Some(_) => out.push_str(token),
            None => cover(token, out),
        }
        match c {
            '{' | '[' => brackets.push(c),
            '}' | ']' => drop(brackets.pop()),
            _ => {}
        }
        key_comes = match c {
            '{' | ',' => brackets.last() == Some(&'{'),
            c => key_comes && c.is_whitespace(),
        };
        rest = after;
    }
}

/// Returns the length of a bare or quoted name that an `=` follows, at the start of the text. What is no plain name may be anything.
fn key_length(text: &str) -> Option<usize> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let quote = text.starts_with(['"', '\'']);
    let name = &text[usize::from(quote)..];
    let end = name.find(|c| !plain(c))?;
    let closed = !quote || name.as_bytes()[end] == text.as_bytes()[0];
    let length = end + 2 * usize::from(quote);
    (end > 0 && closed && text[length..].trim_start().starts_with('=')).then_some(length)
}

/// Returns the length of a string with its quotes, at the start of the text. Only basic strings have escapes.
fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = quote == '"' && c == '\\' && !escaped;
    }
    text.len()
}

/// Masks a part of a text. Structure and references to variables stay, and every character keeps its length in bytes,
/// so that spans stay correct.
fn cover(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(reference) = reference(rest) {
            out.push_str(reference);
            rest = &rest[reference.len()..];
            continue;
        }
        out.push(match (c, c.len_utf8()) {
            (c, _) if c.is_whitespace() || matches!(c, '"' | '\'' | '{' | '}' | '[' | ']' | ',' | '=' | ':' | '#') => c,
            (_, 1) => '*',
            (_, 2) => '·',
            (_, 3) => '•',
            _ => '\u{1F512}',
        });
        rest = &rest[c.len_utf8()..];
    }
}

/// Returns the `${NAME}` at the start of the text.
fn reference(text: &str) -> Option<&str> {
    let name = text.strip_prefix("${")?;
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    (end > 0 && name[end..].starts_with('}')).then(|| &text[..end + 3])
}

/// Returns the JSON text with every value masked that is a string, except those of a few harmless keys, or a number.
fn json(text: &str) -> String {
    const SHOWN: [&str; 5] = ["command", "type", "transport", "cwd", "source"];
    let mut out = String::with_capacity(text.len());
    let mut key = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        if rest.starts_with('"') {
            let end = string_end(rest);
            let (string, after) = rest.split_at(end);
            if after.trim_start().starts_with(':') {
                string.trim_matches('"').clone_into(&mut key);
                out.push_str(string);
            } else if SHOWN.contains(&key.as_str()) && !names_secret(string) && !string.contains("://") {
                out.push_str(string);
            } else {
                cover(string, &mut out);
            }
            rest = after;
        } else {
            let end = rest.find('"').unwrap_or(rest.len());
            let (plain, after) = rest.split_at(end);
            cover_plain(plain, &mut out);
            if plain.contains('}') || plain.contains('{') {
                key.clear();
            }
            rest = after;
        }
    }
    out
}

/// Masks text outside strings: only literals are harmless; anything else (a comment, a string without its quotes) is
/// masked.
fn cover_plain(text: &str, out: &mut String) {
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if matches!(word, "true" | "false" | "null") {
            out.push_str(word);
        } else {
            cover(word, out);
        }
        let Some(next) = after.chars().next() else { return };
        if next.is_ascii_punctuation() {
            out.push(next);
        } else {
            cover(&after[..next.len_utf8()], out);
        }
        rest = &after[next.len_utf8()..];
    }
}

fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\n' => return at,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}
