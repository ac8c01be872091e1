//! Assists the line editor: completes words, and decides whether an input is complete.

use mangle::{
    diagnostic::Code,
    syntax::{Dialect, Sources, parse},
};
use rustyline::{
    Context, Helper,
    completion::{Completer, FilenameCompleter, Pair},
    highlight::Highlighter,
    hint::{Hint, Hinter},
    validate::{ValidationContext, ValidationResult, Validator},
};

/// Completes words and asks for more lines until the full stop.
pub(super) struct Assistant {
    words: Vec<String>,
    files: FilenameCompleter,
}

impl Assistant {
    /// Makes an assistant that knows these words.
    pub(super) fn new(words: Vec<String>) -> Self {
        Self {
            words,
            files: FilenameCompleter::new(),
        }
    }

    /// Returns where the word before `at` begins, and the words that begin like it.
    pub(super) fn found(&self, line: &str, at: usize) -> (usize, Vec<&str>) {
        let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | '-');
        let head = line.get(..at).unwrap_or_default();
        let start = head.rfind(|c: char| !belongs(c)).map_or(0, |before| before + 1);
        let word = &head[start..];
        let found = self.words.iter().filter(|known| !word.is_empty() && known.starts_with(word));
        (start, found.map(String::as_str).collect())
    }
}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, context: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        if line.starts_with(":load ") {
            return self.files.complete(line, at, context);
        }
        let (start, found) = self.found(line, at);
        let pair = |word: &str| Pair {
            display: word.to_owned(),
            replacement: word.to_owned(),
        };
        Ok((start, found.into_iter().map(pair).collect()))
    }
}

/// Returns whether an input needs no more lines: a command, a clause up to its full stop, a question that can be
/// parsed. An empty line ends any input.
pub(super) fn is_whole(input: &str) -> bool {
    let line = input.trim();
    let command = line.starts_with(':') && !line.contains('(') || line.starts_with(":why") || is_bare_command(line);
    let gave_up = input.ends_with('\n');
    let ended = line.ends_with('.') || line.starts_with('#') || is_about_a_predicate(line);
    line.is_empty() || line == "?" || command || gave_up || ended || is_question(line)
}

/// Returns whether a line is `? name`: a question without arguments is about all facts of a predicate.
pub(super) fn is_about_a_predicate(line: &str) -> bool {
    let name = line.strip_prefix('?').map(|name| name.trim().trim_end_matches('.'));
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))
}

/// Returns whether a line is a command without its colon, which new users type.
pub(super) fn is_bare_command(line: &str) -> bool {
    matches!(line, "help" | "quit" | "exit" | "list" | "undo")
}

/// Returns whether a line is a question that can be parsed, or that is wrong before its end: more lines would not
/// correct it.
fn is_question(line: &str) -> bool {
    let Some(body) = line.strip_prefix('?').filter(|body| !body.ends_with(',')) else {
        return false;
    };
    let asked = format!("x() :- {body}");
    let Ok(sources) = Sources::of("line", &format!("{asked} .")) else {
        return true;
    };
    sources.iter().all(|source| {
        let parsed = parse(source, Dialect::Extended);
        let end = source.span().start + asked.len() as u32;
        match parsed.diagnostics.first() {
            None => parsed.unit.clauses().count() == 1,
            Some(found) => found.code != Code::UnterminatedString && found.primary.span.end < end,
        }
    })
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if is_whole(context.input()) {
            ValidationResult::Valid(None)
        } else {
            ValidationResult::Incomplete
        })
    }
}

impl Hinter for Assistant {
    type Hint = Onward;

    /// Shows on an empty line how an input of several lines is ended.
    fn hint(&self, line: &str, at: usize, _: &Context<'_>) -> Option<Onward> {
        (at == line.len() && line.ends_with('\n')).then_some(Onward)
    }
}

/// A hint that cannot be accepted as text.
pub(super) struct Onward;

impl Hint for Onward {
    fn display(&self) -> &str {
        "  (up to the full stop; an empty line ends it)"
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Highlighter for Assistant {}

impl Helper for Assistant {}

#[cfg(test)]
mod tests;
