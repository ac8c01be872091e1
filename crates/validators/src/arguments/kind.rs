//! What an argument can be.

use crate::code::Language;

/// The kind of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A command line for a shell.
    Command,
    /// The words of a command, or the arguments of a command that is given beside it.
    Words,
    /// A value that the server puts into a command line.
    ShellValue,
    /// A statement of SQL.
    Sql,
    /// A value that the server puts into a statement.
    SqlValue,
    /// An address with a scheme.
    Url,
    /// A host, with or without a port.
    Host,
    /// A path of a file or folder.
    Path,
    /// Code, perhaps of a known language.
    Code(Option<Language>),
    /// An HTTP method.
    Method,
    /// How a file is opened.
    Mode,
    /// A text that is not judged, whatever its name.
    Text,
}

impl Kind {
    /// Parses a kind by its name in configuration.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "command" => Self::Command,
            "words" => Self::Words,
            "shell_value" => Self::ShellValue,
            "sql" => Self::Sql,
            "sql_value" => Self::SqlValue,
            "url" => Self::Url,
            "host" => Self::Host,
            "path" => Self::Path,
            "code" => Self::Code(None),
            "python" => Self::Code(Some(Language::Python)),
            "javascript" => Self::Code(Some(Language::JavaScript)),
            "typescript" => Self::Code(Some(Language::TypeScript)),
            "method" => Self::Method,
            "mode" => Self::Mode,
            "text" => Self::Text,
            _ => return None,
        })
    }
}
