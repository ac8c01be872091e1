//! What commands are judged by: profiles of the shell, and what an operator allows.

use crate::path::Roots;

/// How much of the shell is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// One command that only reads, out of those that are known.
    Strict,
    /// MGP §4.5 in its own words: one command, no metacharacters, nothing dangerous, no recursive delete.
    Default,
    /// Pipes, lists and redirects of known commands, each of them judged.
    Pipeline,
}

impl Profile {
    /// By its name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "strict" => Self::Strict,
            "default" => Self::Default,
            "pipeline" => Self::Pipeline,
            _ => return None,
        })
    }
}

/// What a command is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    /// How much of the shell is allowed.
    pub profile: Profile,
    /// Where paths may lead.
    pub roots: &'a Roots,
    /// Whether everything that changes something is refused.
    pub read_only: bool,
    /// Commands that are allowed besides the known ones, as they are called.
    pub allow: &'a [String],
}
