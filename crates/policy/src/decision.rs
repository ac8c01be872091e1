//! The answer of a policy.

use std::fmt;

use crate::{Reason, Revision};

/// What a policy decided, why, and which policy it was. A value, not an error.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Decision {
    /// May it happen?
    pub verdict: Verdict,
    /// The rule that decided and, for a denial, the way out. As text it is meant for the one who asked.
    pub because: Reason,
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
    /// It may not yet. Whoever has what is needed asks again with it; whoever can't get it takes it for a denial.
    Wait(Need),
}

/// What is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// The addresses of the names that [`Reason::Resolve`] lists. Ask again with [`crate::Query::resolved`].
    Resolution,
    /// A person's consent to this call. Ask again with [`crate::Query::consent`].
    Confirmation,
    /// The same, from a person who was told that the tool is not what was approved. A standing grant does not do.
    Review,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Wait(Need::Resolution) => "wait for addresses",
            Self::Wait(Need::Confirmation) => "wait for a confirmation",
            Self::Wait(Need::Review) => "wait for a review",
        })
    }
}
