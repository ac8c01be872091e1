//! Replaces `${VAR}` and `${VAR:-default}`.

use std::collections::BTreeMap;
use std::fmt;

use super::node::Node;
use super::problem::Problem;

/// The variables of an environment, passed as an argument so that tests can make their own. `Debug` shows names only.
#[derive(Clone, Default)]
pub struct Env(BTreeMap<String, String>);

impl Env {
    /// Returns the environment of this process; variables that aren't Unicode are left out.
    #[must_use]
    pub fn of_process() -> Self {
        let unicode = |(name, value): (std::ffi::OsString, std::ffi::OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        Self(std::env::vars_os().filter_map(unicode).collect())
    }

    /// Returns the value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Returns the value of a variable that is set and not empty.
    #[must_use]
    pub fn get_filled(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Env {
    fn from_iter<T: IntoIterator<Item = (K, V)>>(iter: T) -> Self {
        Self(iter.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// A part of a text with variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Literal text.
    Text(&'a str),
    /// A variable.
    Variable {
        /// Its name.
        name: &'a str,
        /// The value that replaces it where it is unset or empty.
        default: Option<&'a str>,
    },
}

/// Splits a text into literal parts and variables. `$${` is a literal `${`.
///
/// # Errors
/// When a `${` has no `}` or no name; the error says what is wrong, without the text.
pub fn pieces(text: &str) -> Result<Vec<Piece<'_>>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(dollar) = rest.find("${") {
        if rest[..dollar].ends_with('$') {
            pieces.push(Piece::Text(&rest[..dollar - 1]));
            pieces.push(Piece::Text("${"));
            rest = &rest[dollar + 2..];
            continue;
        }
        pieces.push(Piece::Text(&rest[..dollar]));
        let inner = &rest[dollar + 2..];
        let end = inner.find('}').ok_or("a `${` has no `}`; write `$${` for a literal `${`")?;
        pieces.push(variable(&inner[..end])?);
        rest = &inner[end + 1..];
    }
    pieces.push(Piece::Text(rest));
    pieces.retain(|piece| *piece != Piece::Text(""));
    Ok(pieces)
}

fn variable(inner: &str) -> Result<Piece<'_>, String> {
    let (name, default) = match inner.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inner, None),
    };
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    if !name.starts_with(first) || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err("between `${` and `}` stands the name of a variable, or `NAME:-default`; write `$${` for a literal `${`".to_owned());
    }
    if default.is_some_and(|default| default.contains("${")) {
        return Err("a default can't hold another variable".to_owned());
    }
    Ok(Piece::Variable { name, default })
}

/// Why a text could not be expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpandError {
    /// A variable is unset and has no default.
    Unset(String),
    /// The text is malformed.
    Malformed(String),
}

/// Replaces every variable.
///
/// # Errors
/// When a variable is unset without a default, or the text is malformed.
pub fn expand(text: &str, env: &Env) -> Result<String, ExpandError> {
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text).map_err(ExpandError::Malformed)? {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Variable {
                name,
                default: Some(default),
            } => out.push_str(env.get_filled(name).unwrap_or(default)),
            Piece::Variable { name, default: None } => {
                out.push_str(env.get(name).ok_or_else(|| ExpandError::Unset(name.to_owned()))?);
            }
        }
    }
    Ok(out)
}

/// Returns a value with its variables replaced; `path` names its key.
pub(super) fn expand_at(node: &Node, path: &str, env: &Env) -> Result<String, Box<Problem>> {
    expand(node.text().unwrap_or_default(), env).map_err(|error| {
        let problem = match error {
            // `check_variables` has reported all of them.
            ExpandError::Unset(name) => Problem::warning(format!("the variable `{name}` is not set (used in `{path}`)")),
            ExpandError::Malformed(what) => Problem::error(format!("`{path}` is malformed: {what}")),
        };
        Box::new(problem.at(&node.place))
    })
}

/// Returns the variables of a text that are unset and have no default, each once; none if the text is malformed.
#[must_use]
pub(super) fn unset<'a>(text: &'a str, env: &Env) -> Vec<&'a str> {
    let mut names = Vec::new();
    for piece in pieces(text).unwrap_or_default() {
        if let Piece::Variable { name, default: None } = piece
            && env.get(name).is_none()
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// Returns whether a literal part of the text could be a secret: the text is more than variables and a word such as
/// `Bearer`.
#[must_use]
pub fn is_literal(text: &str) -> bool {
    pieces(text).is_ok_and(|pieces| !pieces.iter().any(|piece| matches!(piece, Piece::Variable { .. }))) && !text.is_empty()
}
