//! Reads Rust source without comments and the contents of literals, so that text about something banned breaks no rule.

use std::ops::Range;

/// Code of the same length and lines as its source, with spaces for comments, the contents of literals and, on request,
/// tests.
#[derive(Clone, Debug)]
pub(crate) struct Code(String);

impl Code {
    /// Reads a file.
    pub(crate) fn of(source: &str) -> Self {
        Self(mask(source))
    }

    /// Reads a file without `#[cfg(test)] mod … { … }`.
    pub(crate) fn without_tests(&self) -> Self {
        let mut bytes = self.0.clone().into_bytes();
        let mut from = 0;
        while let Some(at) = self.0[from..].find("#[cfg(test)]").map(|at| from + at) {
            from = at + 1;
            let rest = self.0[at + "#[cfg(test)]".len()..].trim_start();
            let item = self.0.len() - rest.len();
            let (open, semicolon) = (rest.find('{'), rest.find(';'));
            let Some(open) = open.filter(|open| semicolon.is_none_or(|semicolon| *open < semicolon)) else {
                continue;
            };
            let end = closing(self.0.as_bytes(), item + open).unwrap_or(self.0.len());
            blank(&mut bytes[at..end]);
        }
        Self(String::from_utf8(bytes).unwrap_or_default())
    }

    /// Returns the code.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Returns the lines on which a pattern stands as words of its own.
    pub(crate) fn lines_with(&self, pattern: &str) -> Vec<usize> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let found = self.0.match_indices(pattern).filter(|(at, _)| {
            let before = self.0[..*at].chars().next_back();
            let after = self.0[at + pattern.len()..].chars().next();
            let starts = !pattern.starts_with(is_word) || !before.is_some_and(is_word);
            let ends = !pattern.ends_with(is_word) || !after.is_some_and(is_word);
            starts && ends
        });
        let mut lines: Vec<usize> = found.map(|(at, _)| self.line(at)).collect();
        lines.dedup();
        lines
    }

    /// Returns every attribute, with its line.
    pub(crate) fn attributes(&self) -> Vec<(usize, &str)> {
        let bytes = self.0.as_bytes();
        let opens = |at: &usize| bytes[at + 1..].starts_with(b"[") || bytes[at + 1..].starts_with(b"![");
        let starts = self.0.match_indices('#').map(|(at, _)| at).filter(opens);
        starts
            .filter_map(|at| {
                let open = at + self.0[at..].find('[')?;
                Some((self.line(at), &self.0[at..closing(bytes, open)?]))
            })
            .collect()
    }

    fn line(&self, at: usize) -> usize {
        self.0.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1
    }
}

/// Returns the position behind the bracket that closes the one at `open`.
fn closing(code: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in code.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

/// The comments of a file, with the line on which each begins.
pub(crate) fn comments(source: &str) -> Vec<(usize, &str)> {
    let comments = opaque(source).into_iter().filter(|(_, part)| *part == Part::Comment);
    let (mut line, mut counted) = (1, 0);
    comments
        .map(|(range, _)| {
            line += source[counted..range.start].matches('\n').count();
            counted = range.start;
            (line, &source[range])
        })
        .collect()
}

/// What is not code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Comment,
    Literal,
}

fn mask(source: &str) -> String {
    let mut out = source.as_bytes().to_vec();
    for (range, _) in opaque(source) {
        blank(&mut out[range]);
    }
    String::from_utf8(out).unwrap_or_default()
}

/// The places of all comments and literals, in order.
fn opaque(source: &str) -> Vec<(Range<usize>, Part)> {
    let bytes = source.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let word_before = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        let (length, part) = if rest.starts_with(b"//") {
            (rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()), Part::Comment)
        } else if rest.starts_with(b"/*") {
            (comment(rest), Part::Comment)
        } else if let Some(length) = if word_before { None } else { raw_string(rest) } {
            (length, Part::Literal)
        } else if rest[0] == b'"' {
            (quoted(rest, b'"'), Part::Literal)
        } else if rest[0] == b'\'' && is_char(rest) {
            (quoted(rest, b'\''), Part::Literal)
        } else {
            at += 1;
            continue;
        };
        found.push((at..at + length, part));
        at += length;
    }
    found
}

/// Returns the length of a block comment; they nest.
fn comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// Returns the length of `r"…"`, `r#"…"#`, `br"…"`, if one starts here.
fn raw_string(rest: &[u8]) -> Option<usize> {
    let start = rest.strip_prefix(b"br").or_else(|| rest.strip_prefix(b"r"))?;
    let hashes = start.iter().take_while(|byte| **byte == b'#').count();
    if start.get(hashes) != Some(&b'"') {
        return None;
    }
    let mut end = vec![b'"'];
    end.resize(hashes + 1, b'#');
    let body = rest.len() - start.len() + hashes + 1;
    let length = rest[body..].windows(end.len()).position(|window| window == end)?;
    Some(body + length + end.len())
}

/// Returns the length of a literal with escapes.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Returns whether `'` starts a character, and not a lifetime or a label.
fn is_char(rest: &[u8]) -> bool {
    match rest.get(1) {
        Some(b'\\') => true,
        Some(first) if first.is_ascii() => rest.get(2) == Some(&b'\''),
        // A character of several bytes: lifetimes are ASCII here.
        Some(_) => true,
        None => false,
    }
}

#[cfg(test)]
mod tests;
