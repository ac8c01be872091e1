//! The answer of a policy.

use std::borrow::Cow;
use std::fmt;

/// What a policy decided, why, and which policy it was. A value, not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Decision {
    /// May it happen?
    pub verdict: Verdict,
    /// The rule that decided and, for a denial, the way out. Meant for the one who asked.
    pub because: Cow<'static, str>,
    /// The policy that decided. Whoever writes to the peer looks again before the first byte (DESIGN 9).
    pub revision: Revision,
}

impl Decision {
    /// Whether it may happen.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.verdict == Verdict::Allow
    }
}

/// May it happen?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It may.
    Allow,
    /// It may not.
    Deny,
}

/// Which policy: a number that grows with each change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Revision(pub u64);

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        })
    }
}
