//! What commands are judged by: profiles of the shell, and what an operator allows.

use crate::path::Roots;

/// How much of the shell is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// One command that only reads, out of those that are known.
    Strict,
    /// The rule of MGP §4.5: one command, no metacharacters, nothing dangerous, no recursive delete.
    Default,
    /// Pipes, lists and redirects of known commands, each of them judged.
    Pipeline,
}

impl Profile {
    /// Parses a profile by its name.
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

/// The rules by which a command is judged.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    /// How much of the shell is allowed.
    pub profile: Profile,
    /// The folders in which paths may lie.
    pub roots: &'a Roots,
    /// Whether everything that changes something is refused.
    pub read_only: bool,
    /// The commands that are allowed in addition to the known ones, by name.
    pub allow: &'a [String],
}
