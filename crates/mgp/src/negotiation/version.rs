//! Versions of MGP, and their compatibility (§2.4.4, §2.5, D9).

use std::fmt;

/// A version of MGP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// The major number: another one is incompatible.
    pub major: u32,
    /// The minor number: another one of 0.x may be incompatible; of later versions it only adds.
    pub minor: u32,
    /// The patch number: another one is always compatible.
    pub patch: u32,
}

/// The compatibility of two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// They are compatible.
    Good,
    /// They are two different 0.x: the gateway warns, and tries (§2.5).
    Doubtful,
    /// They are incompatible: plain MCP (§2.4.4).
    None,
}

impl Version {
    /// The version of this implementation.
    pub const OURS: Self = Self {
        major: 0,
        minor: 5,
        patch: 2,
    };

    /// Parses a semantic version. What follows the three numbers (`-draft`, `+build`) is not compared.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let numbers = text.split(['-', '+']).next()?;
        let mut parts = numbers.split('.');
        let mut number = || {
            let part = parts.next()?;
            // `parse` would accept a sign.
            part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten()
        };
        let (major, minor, patch) = (number()?, number()?, number()?);
        parts.next().is_none().then_some(Self { major, minor, patch })
    }

    /// Returns the compatibility with a peer of another version.
    #[must_use]
    pub fn fit(self, other: Self) -> Fit {
        match (self.major == other.major, self.minor == other.minor) {
            (false, _) => Fit::None,
            (true, false) if self.major == 0 => Fit::Doubtful,
            (true, _) => Fit::Good,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}
