//! The choke point: the only place where a call, a question or a notification is allowed to leave.
//!
//! Law: a [`Permit`] is made here and nowhere else, and everything that writes to a server or asks a client takes one.

use std::time::{SystemTime, UNIX_EPOCH};

use jsonrpc::ErrorObject;
use model::{Principal, Timestamp, Trace};
use policy::{Action, Query, Revision, Verdict};

use crate::inner::Inner;

/// Leave to send one thing, under the policy revision that gave it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permit {
    revision: Revision,
}

impl Permit {
    /// Whether the policy that gave it is still the one in force (DESIGN 9).
    pub(crate) fn stands(self, inner: &Inner) -> bool {
        inner.policy.load().revision() == self.revision
    }
}

impl Inner {
    /// Asks policy.
    pub(crate) fn admit(&self, principal: &Principal, session: u64, action: Action<'_>, trace: &Trace) -> Result<Permit, ErrorObject> {
        let decision = self.policy.load().decide(&Query {
            session: Some(session),
            ..Query::new(principal, action, trace, wall_clock())
        });
        tracing::trace!(principal = %principal.id, %action, verdict = ?decision.verdict, "decided");
        match decision.verdict {
            Verdict::Allow => Ok(Permit {
                revision: decision.revision,
            }),
            // What a call would have to wait for, nobody fetches yet: it is refused, and says what is needed.
            Verdict::Deny | Verdict::Wait(_) => {
                let text = format!("`{}` may not {action}: {}", principal.id, decision.because);
                Err(ErrorObject::new(jsonrpc::code::INVALID_PARAMS, text))
            }
        }
    }

    /// Leave for what the gateway itself needs of a server to know what it offers: handshakes, lists, pings.
    pub(crate) fn admit_own(&self) -> Permit {
        Permit {
            revision: self.policy.load().revision(),
        }
    }
}

/// The instant on the calendar: what grants expire by.
fn wall_clock() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
