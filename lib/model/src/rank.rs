//! Three scales: how much a principal may do, how far a server is trusted, and how much harm a tool can do.

use std::fmt;

/// The role of a principal in this gateway (MGP D15). Law: it comes from the credential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The principal calls tools.
    #[default]
    Agent,
    /// The principal also decides what others may do, and may act on their behalf.
    Operator,
}

/// How far a server is trusted, in ascending order (MGP D1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TrustLevel {
    /// `sandboxed`, or `untrusted` in later drafts: registered at run time, or claiming an unknown level.
    Sandboxed,
    /// Created at run time by an agent (MGP §16.6).
    Experimental,
    /// Configured in a file that the user owns or imported.
    Standard,
    /// `trusted`, or `core` in later drafts: declared so by the operator.
    Trusted,
}

/// How much harm a tool can do, in ascending order (MGP §4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Risk {
    /// The tool only reads.
    Safe,
    /// The tool makes changes that can be undone, or nothing is known of it.
    Moderate,
    /// The tool needs a person's consent.
    Dangerous,
}

impl Role {
    /// Returns the role's name: `agent`, `operator`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Operator => "operator",
        }
    }
}

impl TrustLevel {
    /// Returns the level's name in the founding specification (MGP D1): `sandboxed`, `experimental`, `standard`,
    /// `trusted`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sandboxed => "sandboxed",
            Self::Experimental => "experimental",
            Self::Standard => "standard",
            Self::Trusted => "trusted",
        }
    }
}

impl Risk {
    /// Returns the level's name in the specification: `safe`, `moderate`, `dangerous`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Moderate => "moderate",
            Self::Dangerous => "dangerous",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for TrustLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
