//! The four policies of §3.3.

use std::fmt;

/// The policy that decides on permissions that a server wants (§3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ApprovalPolicy {
    /// A person decides on each permission. Configured permissions are approved.
    #[default]
    Interactive,
    /// All permissions are approved, except those that a person has denied.
    AutoApprove,
    /// All permissions that are not configured are denied, and no person can approve them.
    DenyAll,
    /// The configuration alone approves, and no person is asked.
    ConfigOnly,
}

impl ApprovalPolicy {
    /// All policies.
    pub const ALL: [Self; 4] = [Self::Interactive, Self::AutoApprove, Self::DenyAll, Self::ConfigOnly];

    /// Returns its word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::AutoApprove => "auto_approve",
            Self::DenyAll => "deny_all",
            Self::ConfigOnly => "config_only",
        }
    }

    /// Parses a policy by its word on the wire.
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
