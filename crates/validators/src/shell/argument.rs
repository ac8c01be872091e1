//! Arguments as a command gets them, and how they read as options.

use std::ops::Range;

use super::ast::Word;

/// An argument, after the shell's expansions as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) span: Range<usize>,
    /// The text that the command receives; an expansion is shown as U+FFFC.
    pub(crate) text: String,
    /// Whether a part of it is known only at run time.
    pub(crate) dynamic: bool,
    pub(crate) glob: bool,
    pub(crate) tilde: bool,
    pub(crate) word: Word,
}

/// The character that stands for an unknown part.
pub(crate) const UNKNOWN: char = '\u{fffc}';

/// The form of an argument as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape<'a> {
    Operand,
    /// The end of options: `--`.
    End,
    Long {
        name: &'a str,
        value: Option<&'a str>,
    },
    /// Letters behind one dash.
    Short(&'a str),
}

impl Argument {
    /// Returns an argument of a word that no shell reads.
    pub(crate) fn of_literal(text: &str) -> Self {
        Self {
            span: 0..0,
            text: text.to_owned(),
            dynamic: false,
            glob: false,
            tilde: false,
            word: Word::default(),
        }
    }

    pub(crate) fn shape(&self) -> Shape<'_> {
        if let Some(long) = self.text.strip_prefix("--") {
            return match long.split_once('=') {
                _ if long.is_empty() => Shape::End,
                Some((name, value)) => Shape::Long { name, value: Some(value) },
                None => Shape::Long { name: long, value: None },
            };
        }
        match self.text.strip_prefix('-') {
            Some(letters) if !letters.is_empty() => Shape::Short(letters),
            _ => Shape::Operand,
        }
    }
}

/// Returns whether a list of names, separated by blanks, contains `name`.
pub(crate) fn lists(list: &str, name: &str) -> bool {
    !name.is_empty() && list.split(' ').any(|one| one == name)
}

/// Returns whether `given` is, or abbreviates, one of the long names in the list.
pub(crate) fn abbreviates(list: &str, given: &str) -> bool {
    !given.is_empty() && list.split(' ').any(|one| one.len() > 1 && one.starts_with(given))
}
