//! Versions of MGP, and which fit together (§2.4.4, §2.5, D9).

use std::fmt;

/// A version of MGP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// Another one breaks.
    pub major: u32,
    /// Another one of 0.x may break; of later versions, it adds.
    pub minor: u32,
    /// Another one never breaks.
    pub patch: u32,
}

/// How two versions fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// They fit.
    Good,
    /// Two different 0.x: worth a warning, and tried (§2.5).
    Doubtful,
    /// They don't: plain MCP (§2.4.4).
    None,
}

impl Version {
    /// The version that is spoken here.
    pub const OURS: Self = Self {
        major: 0,
        minor: 5,
        patch: 2,
    };

    /// Reads a semantic version. What follows the three numbers (`-draft`, `+build`) is not compared.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let numbers = text.split(['-', '+']).next()?;
        let mut parts = numbers.split('.');
        let mut number = || {
            let part = parts.next()?;
            // `parse` would take a sign.
            part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten()
        };
        let (major, minor, patch) = (number()?, number()?, number()?);
        parts.next().is_none().then_some(Self { major, minor, patch })
    }

    /// Whether a peer of another version can be spoken with.
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
