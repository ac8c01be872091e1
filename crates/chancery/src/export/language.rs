//! The languages that tools are exported to.

use super::{ilo, python, tool::Tool, typescript};

/// A language to export to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// Interfaces and one interface of all tools.
    Typescript,
    /// `TypedDict`s and one `Protocol` of all tools (Python 3.12).
    Python,
    /// `type` and `tool` declarations of ilo.
    Ilo,
}

/// Returns the declarations of all tools.
#[must_use]
pub fn export(language: Language, tools: &[Tool]) -> String {
    match language {
        Language::Typescript => typescript::write(tools),
        Language::Python => python::write(tools),
        Language::Ilo => ilo::write(tools),
    }
}
