//! `tools export`: the schemas of tools as typed signatures of a language.
//!
//! Law: a pure function of the tools; the same tools in the same order give the same text.

mod ilo;
mod python;
mod schema;
mod typescript;

#[cfg(test)]
mod tests;

use serde_json::Value as Json;

/// A tool as a list gives it.
#[derive(Clone, Debug, Default)]
pub struct Tool {
    /// The name by which it is called.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The JSON schema of its arguments.
    pub input: Json,
    /// The JSON schema of its structured result.
    pub output: Option<Json>,
}

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

/// The declarations of all tools.
#[must_use]
pub fn export(language: Language, tools: &[Tool]) -> String {
    match language {
        Language::Typescript => typescript::write(tools),
        Language::Python => python::write(tools),
        Language::Ilo => ilo::write(tools),
    }
}

/// A description on one line, without what would end a comment or a string.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
