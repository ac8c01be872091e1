//! The choke point: the only place where a call, a question or a notification is allowed to leave.
//!
//! Law: a [`Permit`] is made here and nowhere else, and everything that writes to a server or asks a client takes one. What a permit rests on
//! is recorded before it is given (DESIGN 8).

use std::sync::Arc;

use jsonrpc::ErrorObject;
use mgp::audit::{Actor, Draft, EventType, Outcome, Target};
use model::{PrincipalId, ServerId, Ticket, Trace};
use policy::{Action, Decision, Policy, Query, Revision, Verdict};

use crate::client::Client;
use crate::guard::{Guard, refusal};
use crate::inner::Inner;
use crate::link::Leave;
use crate::upstream::Session;

/// Leave to send one thing, under the policy revision that gave it.
#[derive(Clone, Debug)]
pub(crate) struct Permit {
    revision: Revision,
    whose: Whose,
}

/// For whom and what a permit is: what a later policy has to agree to.
#[derive(Clone, Debug)]
enum Whose {
    /// The gateway's own: what it has to know of a server.
    Gateway,
    /// A client's.
    Client(Of),
}

#[derive(Clone, Debug)]
struct Of {
    principal: PrincipalId,
    token: Option<Arc<str>>,
    server: Option<ServerId>,
    tool: Option<Arc<str>>,
}

impl Permit {
    /// Whether what gave it still holds: the writer's last look before the first byte (DESIGN 9).
    pub(crate) fn stands(&self, inner: &Inner) -> bool {
        let policy = inner.guard.policy();
        match &self.whose {
            Whose::Gateway => true,
            Whose::Client(_) if policy.revision() == self.revision => true,
            Whose::Client(of) => of.stands(&policy, self.revision),
        }
    }

    /// What a call under it needs to leave; the gateway's own calls need nothing.
    pub(crate) fn leave(&self, session: &Arc<Session>, ticket: Ticket) -> Option<Leave> {
        match self.whose {
            Whose::Gateway => None,
            Whose::Client(_) => Some(Leave::new(&session.inner, self.clone(), Some((session, ticket)))),
        }
    }

    /// A permit for what policy has allowed.
    pub(crate) fn given(client: &Client, action: &Action<'_>, decision: &Decision) -> Option<Self> {
        let tool = match action {
            Action::CallTool { tool, .. } => Some(Arc::from(*tool)),
            _ => None,
        };
        decision.is_allowed().then(|| Self {
            revision: decision.revision,
            whose: Whose::Client(Of {
                principal: client.principal.id.clone(),
                token: client.bearer.clone(),
                server: action.server().cloned(),
                tool,
            }),
        })
    }
}

impl Of {
    fn stands(&self, policy: &Policy, since: Revision) -> bool {
        let action = match (&self.server, &self.tool) {
            (Some(server), Some(tool)) => Action::CallTool {
                server,
                tool,
                arguments: None,
            },
            (Some(server), None) => Action::ReadResource { server, uri: "" },
            (None, _) => Action::SetLogLevel,
        };
        policy.stands(&self.principal, self.token.as_deref(), &action, since)
    }
}

impl Client {
    /// Asks policy about something that is no call of a tool, and records what it allows before it is done.
    pub(crate) async fn admit(&self, action: Action<'_>, trace: &Trace) -> Result<Permit, ErrorObject> {
        let (decision, permit) = self.decide(action, trace);
        let guard = &self.inner.guard;
        match permit {
            Some(permit) => {
                let recorded = guard.before(self.draft(&action, &decision), trace).await;
                recorded.map(|()| permit).map_err(|refusal| refusal.to_error())
            }
            None => {
                guard.after(self.draft(&action, &decision), trace).await;
                Err(refusal(&decision.because).to_error())
            }
        }
    }

    /// The same for what nobody can wait for: a server's question, a client's notification. What there is no room to record is refused.
    pub(crate) fn admit_now(&self, action: Action<'_>, trace: &Trace) -> Result<Permit, ErrorObject> {
        let (decision, permit) = self.decide(action, trace);
        let recorded = self.inner.guard.after_now(self.draft(&action, &decision), trace);
        match permit {
            Some(permit) if recorded => Ok(permit),
            Some(_) => Err(ErrorObject::new(
                jsonrpc::code::INTERNAL_ERROR,
                "too much waits to be recorded; try again later",
            )),
            None => Err(refusal(&decision.because).to_error()),
        }
    }

    fn decide(&self, action: Action<'_>, trace: &Trace) -> (Decision, Option<Permit>) {
        let decision = self.inner.guard.policy().decide(&Query {
            session: Some(self.number),
            token: self.bearer.as_deref(),
            ..Query::new(&self.principal, action, trace, self.inner.guard.calendar.now())
        });
        tracing::trace!(principal = %self.principal.id, %action, verdict = ?decision.verdict, "decided");
        let permit = Permit::given(self, &action, &decision);
        (decision, permit)
    }

    /// What the audit says of it.
    fn draft(&self, action: &Action<'_>, decision: &Decision) -> Draft {
        let actor = Actor::principal(&self.principal.id, self.principal.role);
        let target = action.server().map_or_else(Target::kernel, Target::server);
        let (event, result) = match decision.verdict {
            Verdict::Allow => (EventType::CALL_ADMITTED, Outcome::Success),
            Verdict::Deny | Verdict::Wait(_) => (EventType::ToolBlocked, Outcome::Blocked),
        };
        Draft::new(event, actor, target, result).details(Guard::details(&[
            ("action", &self.inner.guard.redactor().text(&action.to_string())),
            ("because", decision.because.rule()),
            ("policy_revision", &decision.revision.to_string()),
        ]))
    }
}

/// Why something is not sent that was allowed a moment ago (DESIGN 9).
pub(crate) fn changed() -> ErrorObject {
    ErrorObject::invalid_params("the policy changed while the request was prepared; send it again")
}

impl Inner {
    /// Leave for what the gateway itself needs of a server to know what it offers: handshakes, lists, pings.
    pub(crate) fn admit_own(&self) -> Permit {
        Permit {
            revision: self.guard.policy().revision(),
            whose: Whose::Gateway,
        }
    }
}
