//! The decision of a policy.

use std::fmt;

use crate::{Reason, Revision};

/// The decision of a policy, with its reason and revision. It is a value, not an error.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Decision {
    /// May it happen?
    pub verdict: Verdict,
    /// The rule that decided and, for a denial, the way out. Its text is for the principal that asked.
    pub because: Reason,
    /// The revision of the policy that decided. The writer of the message checks it again before the first byte (DESIGN 9).
    pub revision: Revision,
}

impl Decision {
    /// Returns whether the action is allowed.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.verdict == Verdict::Allow
    }
}

/// May it happen?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The action is allowed.
    Allow,
    /// The action is denied.
    Deny,
    /// The action is not allowed yet. A caller that obtains what is needed asks again with it; for other callers it is a denial.
    Wait(Need),
}

/// What a caller needs for a further question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// The addresses of the names that [`Reason::Resolve`] lists. Ask again with [`crate::Query::resolved`].
    Resolution,
    /// A person's consent to this call. Ask again with [`crate::Query::consent`].
    Confirmation,
    /// A person's consent to this call, after being told that the tool is not what was approved. A standing grant is not enough.
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
