//! A test file: rules, and cases that say which facts follow from which.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mangle::syntax::{Dialect, Sources, parse};

use super::super::args;

/// One test file.
#[derive(Default)]
pub(super) struct Suite {
    /// The name as given.
    pub(super) name: String,
    /// The files under test.
    pub(super) rules: Vec<PathBuf>,
    pub(super) extended: bool,
    pub(super) cases: Vec<Case>,
    /// The predicates that some case gives facts of. In a case that gives none of them they are empty, not unknown.
    pub(super) given: BTreeSet<(String, usize)>,
}

/// One case. Each text has the line numbers of the file, so that places in findings are right.
#[derive(Clone, Default)]
pub(super) struct Case {
    pub(super) name: String,
    /// The line at which it begins, from one.
    pub(super) line: usize,
    /// The evaluation time.
    pub(super) now: i64,
    pub(super) texts: Texts,
    /// The code of the expected error.
    pub(super) error: Option<String>,
}

/// The facts of a case, as they were written.
#[derive(Clone, Default)]
pub(super) struct Texts {
    /// The given facts.
    pub(super) given: String,
    /// The rows of external predicates.
    pub(super) answers: String,
    /// Facts that must be there.
    pub(super) expect: String,
    /// Facts that must not be there.
    pub(super) absent: String,
    /// All facts of the predicates that occur in it.
    pub(super) exactly: String,
}

/// The text of a case that lines belong to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Section {
    Given,
    Answers,
    Expect,
    Absent,
    Exactly,
}

impl Section {
    /// Returns the section that a word begins.
    pub(super) fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "given" => Self::Given,
            "answers" => Self::Answers,
            "expect" => Self::Expect,
            "absent" => Self::Absent,
            "exactly" => Self::Exactly,
            _ => return None,
        })
    }
}

/// Returns the predicates of facts. Facts that cannot be parsed are reported when the case is run.
pub(super) fn heads(text: &str) -> BTreeSet<(String, usize)> {
    let sources = Sources::of("given", text).ok();
    let parsed = sources.as_ref().and_then(|sources| Some(parse(sources.get(0)?, Dialect::Extended)));
    let clauses = parsed.iter().flat_map(|parsed| parsed.unit.clauses());
    clauses
        .map(|clause| (clause.head.predicate.text.to_string(), clause.head.args.len()))
        .collect()
}

/// Returns the path of a file that is named in a test file, relative to that file.
pub(super) fn beside(file: &Path, name: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(name)
}

/// Returns an evaluation time.
pub(super) fn time(text: &str) -> anyhow::Result<i64> {
    args::time(text).map_err(|help| anyhow::anyhow!("`{text}` is no time: {help}"))
}

/// Returns the code of the expected error.
pub(super) fn error(text: &str) -> anyhow::Result<String> {
    Ok(args::code(text)?.name().to_owned())
}

impl Texts {
    pub(super) fn of(&mut self, section: Section) -> &mut String {
        match section {
            Section::Given => &mut self.given,
            Section::Answers => &mut self.answers,
            Section::Expect => &mut self.expect,
            Section::Absent => &mut self.absent,
            Section::Exactly => &mut self.exactly,
        }
    }
}

/// Appends text at a line, from zero, and a column of its own.
pub(super) fn pad(text: &mut String, line: usize, column: usize, more: &str) {
    let lines = text.bytes().filter(|&byte| byte == b'\n').count();
    text.extend(std::iter::repeat_n('\n', line.saturating_sub(lines)));
    text.extend(std::iter::repeat_n(' ', column));
    text.push_str(more);
    text.push('\n');
}
