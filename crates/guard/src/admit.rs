//! Admits everything that is not a tool call: one question to policy, one event on record.

use jsonrpc::ErrorObject;
use mgp::audit::{Actor, Draft, EventType, Outcome, Target};
use model::Trace;
use policy::{Action, Decision, Query, Verdict};

use crate::guard::Guard;
use crate::permit::SendPermit;
use crate::record::details;
use crate::refusal::refusal;
use crate::subject::Subject;

impl Guard {
    /// Asks policy about an action that is not a tool call, and records what it allows before it is done.
    ///
    /// # Errors
    /// What the caller is answered where policy refuses it, or it cannot be recorded.
    pub async fn admit(&self, subject: &Subject, action: Action<'_>, trace: &Trace) -> Result<SendPermit, ErrorObject> {
        let (decision, permit) = self.decide(subject, action, trace);
        match permit {
            Some(permit) => {
                let recorded = self.record().before(self.draft(subject, &action, &decision), trace).await;
                recorded.map(|()| permit).map_err(|refusal| refusal.to_error())
            }
            None => {
                self.record().after(self.draft(subject, &action, &decision), trace).await;
                Err(refusal(&decision.because).to_error())
            }
        }
    }

    /// Asks policy about an action that cannot wait for its record: a server's question, a client's notification. An action is refused if there is no
    /// room to record it.
    ///
    /// # Errors
    /// What the caller is answered where policy refuses it, or there is no room to record it.
    pub fn admit_now(&self, subject: &Subject, action: Action<'_>, trace: &Trace) -> Result<SendPermit, ErrorObject> {
        let (decision, permit) = self.decide(subject, action, trace);
        let recorded = self.record().after_now(self.draft(subject, &action, &decision), trace);
        match permit {
            Some(permit) if recorded => Ok(permit),
            Some(_) => Err(ErrorObject::new(
                jsonrpc::code::INTERNAL_ERROR,
                "too much waits to be recorded; try again later",
            )),
            None => Err(refusal(&decision.because).to_error()),
        }
    }

    /// Returns the permit for the gateway's own requests to a server: handshakes, lists, pings.
    #[must_use]
    pub fn admit_own(&self) -> SendPermit {
        SendPermit::own()
    }

    /// Returns whether a subject may run the gateway. Nothing is sent, so nothing is recorded.
    #[must_use]
    pub fn may_operate(&self, subject: &Subject) -> bool {
        let what = "run the gateway";
        let (decision, _) = self.decide(subject, Action::Operate { what }, &Trace::default());
        decision.is_allowed()
    }

    fn decide(&self, subject: &Subject, action: Action<'_>, trace: &Trace) -> (Decision, Option<SendPermit>) {
        let decision = self.policy().decide(&Query {
            session: subject.session,
            token: subject.token.as_deref(),
            ..Query::new(&subject.principal, action, trace, self.calendar().now())
        });
        tracing::trace!(principal = %subject.principal.id, %action, verdict = ?decision.verdict, "decided");
        let permit = SendPermit::given(&self.enforced, subject, &action, &decision);
        (decision, permit)
    }

    /// Drafts the audit event of the action.
    fn draft(&self, subject: &Subject, action: &Action<'_>, decision: &Decision) -> Draft {
        let actor = Actor::principal(&subject.principal.id, subject.principal.role);
        let target = action.server().map_or_else(Target::kernel, Target::server);
        let (event, result) = match decision.verdict {
            Verdict::Allow => (EventType::CALL_ADMITTED, Outcome::Success),
            Verdict::Deny | Verdict::Wait(_) => (EventType::ToolBlocked, Outcome::Blocked),
        };
        Draft::new(event, actor, target, result).details(details(&[
            ("action", &self.redactor().text(&action.to_string())),
            ("because", decision.because.rule()),
            ("policy_revision", &decision.revision.to_string()),
        ]))
    }
}
