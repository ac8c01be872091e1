//! The four policies of §3.3.

use std::fmt;

/// Who decides on permissions that a server wants (§3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ApprovalPolicy {
    /// A person, permission by permission. What is configured is approved.
    #[default]
    Interactive,
    /// Nobody: all are approved, but what a person has denied.
    AutoApprove,
    /// Nobody is asked, and nobody can approve: what is not configured is denied.
    DenyAll,
    /// The configuration alone approves, and nobody is asked.
    ConfigOnly,
}

impl ApprovalPolicy {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Interactive, Self::AutoApprove, Self::DenyAll, Self::ConfigOnly];

    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::AutoApprove => "auto_approve",
            Self::DenyAll => "deny_all",
            Self::ConfigOnly => "config_only",
        }
    }

    /// By its word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == word)
    }
}

impl fmt::Display for ApprovalPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
