//! How much somebody may do, how far a server is trusted, and how much harm a tool can do: three scales.

use std::fmt;

/// What a principal is here (MGP D15). Law: it comes from the credential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Calls tools.
    #[default]
    Agent,
    /// Also decides what others may do, and may speak for them.
    Operator,
}

/// How far a server is trusted, from the least (MGP D1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TrustLevel {
    /// `sandboxed`, or `untrusted` in later drafts: registered at run time, or a claim that nobody knows.
    Sandboxed,
    /// Made at run time by an agent (MGP §16.6).
    Experimental,
    /// In a file that the user owns or imported.
    Standard,
    /// `trusted`, or `core` in later drafts: the operator says so.
    Trusted,
}

/// How much harm a tool can do, from the least (MGP §4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Risk {
    /// Reads.
    Safe,
    /// Changes what can be changed back, or nothing is known.
    Moderate,
    /// Needs a person's consent.
    Dangerous,
}

impl Role {
    /// Its word: `agent`, `operator`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Operator => "operator",
        }
    }
}

impl TrustLevel {
    /// The founding specification's word (MGP D1): `sandboxed`, `experimental`, `standard`, `trusted`.
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
    /// The specification's word: `safe`, `moderate`, `dangerous`.
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
