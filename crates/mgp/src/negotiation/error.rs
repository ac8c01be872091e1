//! What makes a declaration void.

use jsonrpc::DecodeError;

use crate::permission;

/// Why a declaration does not count.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DeclarationError {
    /// An object repeats a key.
    #[error("`{0}`: {1}")]
    Repeated(String, DecodeError),
    /// A member is missing or is something else.
    #[error("`{0}` needs `{1}`, {2}")]
    Member(String, &'static str, &'static str),
    /// A version that is none.
    #[error("`{0}` is no semantic version")]
    Version(String),
    /// The name of a permission that can't be one.
    #[error("{0}")]
    Permission(permission::NameError),
    /// Two carriers say different things.
    #[error("`{0}` and `{1}` contradict each other")]
    Contradiction(String, String),
}
