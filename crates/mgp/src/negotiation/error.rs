//! The errors that make a declaration invalid.

use jsonrpc::DecodeError;

use crate::permission;

/// The reason why a declaration is ignored.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DeclarationError {
    /// An object repeats a key.
    #[error("`{0}`: {1}")]
    Repeated(String, DecodeError),
    /// A member is missing or has a wrong value.
    #[error("`{0}` needs `{1}`, {2}")]
    Member(String, &'static str, &'static str),
    /// The version is invalid.
    #[error("`{0}` is no semantic version")]
    Version(String),
    /// The name of a permission is invalid.
    #[error("{0}")]
    Permission(permission::NameError),
    /// Two carriers contradict each other.
    #[error("`{0}` and `{1}` contradict each other")]
    Contradiction(String, String),
}
