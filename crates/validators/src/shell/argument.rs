//! Arguments as a command gets them, and how they read as options.

use std::ops::Range;

use super::ast::Word;

/// One argument, after the shell has done its part as far as that can be known.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) span: Range<usize>,
    /// What the command gets; an expansion stands as U+FFFC.
    pub(crate) text: String,
    /// Whether anything in it is known only when it runs.
    pub(crate) dynamic: bool,
    pub(crate) glob: bool,
    pub(crate) tilde: bool,
    pub(crate) word: Word,
}

/// Stands for what is not known.
pub(crate) const UNKNOWN: char = '\u{fffc}';

/// How an argument reads as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape<'a> {
    Operand,
    /// `--`
    End,
    Long {
        name: &'a str,
        value: Option<&'a str>,
    },
    /// Letters behind one dash.
    Short(&'a str),
}

impl Argument {
    /// A word that no shell reads.
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

/// Whether a list of names, separated by blanks, holds `name`.
pub(crate) fn lists(list: &str, name: &str) -> bool {
    !name.is_empty() && list.split(' ').any(|one| one == name)
}

/// Whether `given` is, or abbreviates, one of the long names in the list.
pub(crate) fn abbreviates(list: &str, given: &str) -> bool {
    !given.is_empty() && list.split(' ').any(|one| one.len() > 1 && one.starts_with(given))
}
