//! The tree of a shell script: lists of pipelines of commands, and words as the shell reads them, unit by unit.

use std::ops::Range;

/// A list of pipelines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    pub(crate) items: Vec<Item>,
}

/// One pipeline, and what stands behind it.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) commands: Vec<Command>,
    pub(crate) connector: Connector,
    /// Where the connector stands.
    pub(crate) connector_span: Range<usize>,
}

/// How a pipeline is joined to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connector {
    End,
    /// `;`
    Sequence,
    Newline,
    /// `&`
    Background,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// One stage of a pipeline.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Simple(Simple),
    /// `( … )` or `{ …; }`
    Group {
        script: Script,
        redirects: Vec<Redirect>,
        span: Range<usize>,
    },
}

/// Assignments, words and redirects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) span: Range<usize>,
}

/// `NAME=value` before a command.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) value: Word,
}

/// One redirect.
#[derive(Clone, Debug)]
pub(crate) struct Redirect {
    pub(crate) kind: RedirectKind,
    pub(crate) target: Word,
    pub(crate) span: Range<usize>,
}

/// What a redirect does with its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `<>`
    Write,
    /// `<&` and `>&` with a descriptor behind it
    Duplicate,
    /// `<<<`, or a here-document, whose body is the target
    Text,
}

/// A word, before any expansion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Word {
    pub(crate) units: Vec<Unit>,
    pub(crate) span: Range<usize>,
}

/// The smallest piece of a word.
#[derive(Clone, Debug)]
pub(crate) enum Unit {
    /// A character that may still mean something: a glob, a brace, a tilde.
    Plain(char),
    /// A character that stands for itself.
    Quoted(char),
    /// Something the shell puts in.
    Expansion(Expansion),
}

/// What the shell puts into a word.
#[derive(Clone, Debug)]
pub(crate) enum Expansion {
    /// `$name` or `${name}`; `plain` is false when the value is changed on the way (`${x//a/b}`, `${x:0:1}`, `${!x}`).
    Parameter { name: String, plain: bool },
    /// `$( … )`
    Command(Script),
    /// Backquotes: the script was read once more, so its spans are not those of the text
    Reread(Script),
    /// `<( … )` or `>( … )`
    Process { script: Script, reads: bool },
    /// `$(( … ))`
    Arithmetic,
}

impl Word {
    /// The characters, if the shell puts nothing in. Globs and braces stand as they are.
    pub(crate) fn text(&self) -> Option<String> {
        self.units
            .iter()
            .map(|unit| match unit {
                Unit::Plain(c) | Unit::Quoted(c) => Some(*c),
                Unit::Expansion(_) => None,
            })
            .collect()
    }

    /// The characters, if all are unquoted: what a reserved word has to be.
    pub(crate) fn bare(&self) -> Option<String> {
        self.units
            .iter()
            .map(|unit| match unit {
                Unit::Plain(c) => Some(*c),
                Unit::Quoted(_) | Unit::Expansion(_) => None,
            })
            .collect()
    }

    pub(crate) fn expansions(&self) -> impl Iterator<Item = &Expansion> {
        self.units.iter().filter_map(|unit| match unit {
            Unit::Expansion(expansion) => Some(expansion),
            Unit::Plain(_) | Unit::Quoted(_) => None,
        })
    }

    pub(crate) fn has_glob(&self) -> bool {
        self.units.iter().any(|unit| matches!(unit, Unit::Plain('*' | '?' | '[')))
    }

    /// A leading `~` is somebody's home.
    pub(crate) fn has_tilde(&self) -> bool {
        matches!(self.units.first(), Some(Unit::Plain('~')))
    }
}
