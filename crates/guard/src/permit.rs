//! The choke point: the proof that policy allows something to be sent, which the writer checks last, before the first byte.
//!
//! Law: a [`SendPermit`] is made here and nowhere else, and everything that writes to a server or asks a client takes one.

use std::fmt;
use std::sync::Arc;

use jsonrpc::ErrorObject;
use model::{Principal, ServerId};
use policy::{Action, Decision, Policy, Revision};

use crate::InFlight;
use crate::enforced::Enforced;
use crate::subject::Subject;

/// Permission to send one thing, under the revision of the policy that gave it.
#[derive(Clone)]
pub struct SendPermit(Holder);

/// The holder of a permit: the subject and action to which a later policy has to agree.
#[derive(Clone)]
enum Holder {
    /// The gateway itself, for its own requests to a server.
    Gateway,
    /// A subject.
    Subject(Arc<Granted>),
}

struct Granted {
    enforced: Arc<Enforced>,
    revision: Revision,
    principal: Principal,
    token: Option<Arc<str>>,
    server: Option<ServerId>,
    tool: Option<Arc<str>>,
}

impl SendPermit {
    /// Returns a permit for what policy has allowed; none for what it has not.
    pub(crate) fn given(enforced: &Arc<Enforced>, subject: &Subject, action: &Action<'_>, decision: &Decision) -> Option<Self> {
        let tool = match action {
            Action::CallTool { tool, .. } => Some(Arc::from(*tool)),
            _ => None,
        };
        let granted = || Granted {
            enforced: enforced.clone(),
            revision: decision.revision,
            principal: subject.principal.clone(),
            token: subject.token.clone(),
            server: action.server().cloned(),
            tool,
        };
        decision.is_allowed().then(|| Self(Holder::Subject(Arc::new(granted()))))
    }

    /// Returns the permit for the gateway's own requests to a server: handshakes, lists, pings.
    pub(crate) fn own() -> Self {
        Self(Holder::Gateway)
    }

    /// Returns whether policy still allows what the permit is for. The writer of a message checks last, with [`SendPermit::begin`] (DESIGN 9).
    #[must_use]
    pub fn stands(&self) -> bool {
        match &self.0 {
            Holder::Gateway => true,
            Holder::Subject(granted) => granted.stands(),
        }
    }

    /// Begins to write what the permit is for. The writer calls it right before the first byte, and holds what it returns until the last; none means
    /// that the message must not be written any more.
    #[must_use]
    pub fn begin(&self) -> Option<InFlight> {
        match &self.0 {
            Holder::Gateway => Some(InFlight::own()),
            Holder::Subject(granted) => {
                // The write is counted before the check: a change of the policy that then sees no write under way is seen by this check.
                let in_flight = granted.enforced.epochs.begin();
                granted.stands().then_some(in_flight)
            }
        }
    }

    /// Returns the error for a message that was allowed and may not be sent any more (DESIGN 9).
    #[must_use]
    pub fn withdrawn() -> ErrorObject {
        ErrorObject::invalid_params("the policy changed while the request was prepared; send it again")
    }
}

impl Granted {
    fn stands(&self) -> bool {
        let policy = self.enforced.policy();
        policy.revision() == self.revision || self.stands_under(&policy)
    }

    fn stands_under(&self, policy: &Policy) -> bool {
        let action = match (&self.server, &self.tool) {
            (Some(server), Some(tool)) => Action::CallTool {
                server,
                tool,
                arguments: None,
            },
            (Some(server), None) => Action::ReadResource { server, uri: "" },
            (None, _) => Action::SetLogLevel,
        };
        policy.stands(&self.principal.id, self.token.as_deref(), &action, self.revision)
    }
}

impl fmt::Debug for SendPermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (principal, revision) = match &self.0 {
            Holder::Gateway => ("the gateway", None),
            Holder::Subject(granted) => (granted.principal.id.as_str(), Some(granted.revision)),
        };
        f.debug_struct("SendPermit")
            .field("principal", &principal)
            .field("revision", &revision)
            .finish_non_exhaustive()
    }
}
