//! The events of one call: admitted, refused, ended. Their common members are written in one place.

use jsonrpc::{ErrorObject, ObjectBuilder, Raw};
use model::{Digest, PrincipalId, RequestId, Risk, Role, ToolId};

use super::event::{Actor, Draft, Outcome, Target};
use super::{EventType, Redactor};
use crate::error::{Code, Refusal};

/// The members that every event of a call has.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The principal that calls.
    pub principal: &'a PrincipalId,
    /// The role of the caller.
    pub role: Role,
    /// The tool.
    pub tool: &'a ToolId,
    /// Its risk.
    pub risk: Option<Risk>,
    /// The validators that judged it, by name.
    pub validators: &'a [&'a str],
    /// The revision of the policy that decided.
    pub revision: u64,
}

/// The ending of a call, with three different ways to fail.
#[derive(Clone, Copy, Debug)]
pub enum Ending<'a> {
    /// The call has a result.
    Result,
    /// The call has a result with `isError`: the tool itself failed.
    ToolError,
    /// The call has a JSON-RPC error: the server refused it, or failed.
    Error(&'a ErrorObject),
    /// The call has no answer, because the connection or the time was over. Whether the tool ran is not known.
    Lost(&'a str),
}

impl Call<'_> {
    fn details(&self) -> ObjectBuilder {
        let validators = self.validators.join("+");
        ObjectBuilder::new()
            .maybe_text("risk_level", self.risk.map(Risk::as_str))
            .maybe_text("validator_applied", Some(validators.as_str()).filter(|names| !names.is_empty()))
            .uint("policy_revision", self.revision)
    }

    fn draft(&self, event_type: EventType, result: Outcome, details: ObjectBuilder) -> Draft {
        let actor = Actor::principal(self.principal, self.role);
        Draft::new(event_type, actor, Target::tool(self.tool), result).details(details.finish())
    }

    /// Drafts the event of an admitted call: the rule, the arguments and the consent. It is stored before the call is sent (DESIGN 8).
    pub fn admitted(&self, because: &str, arguments: &Digest, consent: Option<&RequestId>) -> Draft {
        let details = self
            .details()
            .text("because", because)
            .text("arguments_sha256", &arguments.to_string())
            .maybe_text("request_id", consent.map(RequestId::as_str));
        self.draft(EventType::CALL_ADMITTED, Outcome::Success, details)
    }

    /// Drafts the event of a refused call: `VALIDATION_FAILED` or `CODE_REJECTED` if a validator refused it, `PENDING` if a person has to decide,
    /// else `TOOL_BLOCKED`.
    pub fn refused(&self, refusal: &Refusal, redactor: &Redactor) -> Draft {
        let event_type = match refusal.code {
            Code::ValidationBlocked => EventType::ValidationFailed,
            Code::CodeSafetyViolation => EventType::CodeRejected,
            _ => EventType::ToolBlocked,
        };
        let is_pending = refusal.code == Code::PermissionDenied && refusal.recovery().retryable;
        let result = if is_pending { Outcome::Pending } else { Outcome::Blocked };
        let details = self
            .details()
            .raw("code", &Raw::of(&refusal.code.number()))
            .text("reason", &redactor.text(refusal.message()));
        let details = match refusal.recovery().details.as_ref() {
            Some(own) => details.raw("details", &redactor.redact(own)),
            None => details,
        };
        self.draft(event_type, result, details)
    }

    /// Drafts the event of a call that has ended: `TOOL_EXECUTED`.
    pub fn ended(&self, ending: Ending<'_>, duration_ms: u64, redactor: &Redactor) -> Draft {
        let details = self.details().uint("duration_ms", duration_ms);
        let (result, details) = match ending {
            Ending::Result => (Outcome::Success, details.text("outcome", "result")),
            Ending::ToolError => (Outcome::Failure, details.text("outcome", "tool_error")),
            Ending::Error(error) => {
                let details = details.text("outcome", "error").raw("code", &Raw::of(&error.code));
                (Outcome::Failure, details.text("error", &redactor.text(&error.message)))
            }
            Ending::Lost(why) => {
                let details = details.text("outcome", "transport").text("error", &redactor.text(why));
                (Outcome::Failure, details)
            }
        };
        self.draft(EventType::ToolExecuted, result, details)
    }
}
