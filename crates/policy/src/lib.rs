//! One question, one answer: may this principal do that?
//!
//! Law: a policy is asked about everything that leaves the gateway for a server, and about everything a server wants of a client. It decides from
//! what it is given alone: no clock, no I/O, no state that the answer changes.

#![forbid(unsafe_code)]

mod action;
mod decision;

use model::{Principal, Trace};

pub use action::Action;
pub use decision::{Decision, Revision, Verdict};

/// What a policy is asked.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Who wants it: by the connection's credentials, never by an argument.
    pub principal: &'a Principal,
    /// What is wanted.
    pub action: Action<'a>,
    /// The client session it belongs to, by the kernel's own number; none outside of a session.
    pub session: Option<u64>,
    /// The trace it belongs to.
    pub trace: &'a Trace,
}

/// Answers queries. Immutable: another policy is another value, with a later revision.
#[derive(Clone, Debug)]
pub struct Policy {
    rules: Rules,
    revision: Revision,
}

#[derive(Clone, Copy, Debug)]
enum Rules {
    AllowAll,
    DenyAll,
}

impl Policy {
    /// Everybody may do everything; revision 1. What holds until a policy is configured.
    #[must_use]
    pub fn allow_all() -> Self {
        Self {
            rules: Rules::AllowAll,
            revision: Revision(1),
        }
    }

    /// Nobody may do anything: a gateway that is closed.
    #[must_use]
    pub fn deny_all(revision: Revision) -> Self {
        Self {
            rules: Rules::DenyAll,
            revision,
        }
    }

    /// The answer to one question; the same question to the same policy gets the same answer.
    pub fn decide(&self, query: &Query<'_>) -> Decision {
        match self.rules {
            Rules::AllowAll => Decision {
                verdict: Verdict::Allow,
                because: "no policy is configured: everything is allowed".into(),
                revision: self.revision,
            },
            Rules::DenyAll => Decision {
                verdict: Verdict::Deny,
                because: format!(
                    "the gateway is closed: `{}` may not {}; ask its operator to open it",
                    query.principal.id, query.action
                )
                .into(),
                revision: self.revision,
            },
        }
    }

    /// Which policy this is. Later policies have higher revisions.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }
}

#[cfg(test)]
mod tests;
