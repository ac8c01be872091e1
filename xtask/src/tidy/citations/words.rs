//! Splits texts into words, so that `MGP §5.2, D16 and D17` is read as one name and three numbers, also across the
//! lines of a comment.

/// A word, and its context.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    /// The line, from 1.
    pub(super) line: usize,
    /// The word, without the full stop behind it.
    pub(super) text: &'a str,
    /// Whether only spaces, commas and semicolons stand between it and the word before.
    pub(super) continues: bool,
    /// Whether a full stop stands behind it.
    pub(super) ends: bool,
    /// What follows in its line.
    pub(super) rest: &'a str,
}

/// Returns whether a word is the number of a decision: `D4`.
pub(super) fn is_decision(word: &str) -> bool {
    word.strip_prefix('D')
        .is_some_and(|rest| matches!(rest.len(), 1 | 2) && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether a word is a section: `§6.4`.
pub(super) fn is_section(word: &str) -> bool {
    word.strip_prefix('§')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the first part of a path.
pub(super) fn first(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}

/// Returns the words of a text, without comment markers. Of a transcript only the comments are read.
pub(super) fn of(text: &str, is_transcript: bool) -> impl Iterator<Item = Word<'_>> {
    let lines = text
        .lines()
        .enumerate()
        .filter(move |(_, line)| !is_transcript || line.starts_with('#'));
    lines.flat_map(|(at, line)| in_line(at + 1, line))
}

fn in_line(number: usize, line: &str) -> Vec<Word<'_>> {
    let line = line.trim_start().trim_start_matches(['/', '!', '#', '*']);
    let mut words = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(is_part) {
        let continues = rest[..start].chars().all(|c| matches!(c, ' ' | ',' | ';' | '–'));
        let length = rest[start..].find(|c| !is_part(c)).unwrap_or(rest.len() - start);
        let (word, behind) = rest[start..].split_at(length);
        let text = word.trim_end_matches('.');
        if !text.is_empty() {
            words.push(Word {
                line: number,
                text,
                continues,
                ends: text.len() < word.len(),
                rest: behind,
            });
        }
        rest = behind;
    }
    words
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '§' | '.' | '-' | '/' | '\'')
}

/// Returns whether a word is a revision of MCP, `2026-07-28`, or looks like one.
pub(super) fn is_date(word: &str) -> bool {
    word.len() == 10
        && word
            .bytes()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() })
}

/// Returns whether a name is written in capitals, as those of documents at the root are.
pub(super) fn is_capitals(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Returns what looks like a path in a line; patterns and addresses are none.
pub(super) fn paths(line: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | '[' | ']' | '<' | '>' | ',' | ';' | '#' | '|');
    line.split(is_end)
        .map(|word| word.trim_end_matches(['.', ':', '/']))
        .filter(|word| !word.is_empty() && !word.contains([':', '*', '{', '$', '…']))
}

/// Returns a path from the root of the project, by a reference in a file; `None` if it leads out of the project.
pub(super) fn joined(file: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
