//! The events of one call: admitted, refused, ended. What they have in common is written once.

use jsonrpc::{ErrorObject, ObjectBuilder, Raw};
use model::{Digest, PrincipalId, RequestId, Risk, Role, ToolId};

use super::event::{Actor, Draft, Outcome, Target};
use super::{EventType, Redactor};
use crate::error::{Code, Refusal};

/// A call, as every event of it shows it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Who calls.
    pub principal: &'a PrincipalId,
    /// What the caller is.
    pub role: Role,
    /// What is called.
    pub tool: &'a ToolId,
    /// How much harm it can do.
    pub risk: Option<Risk>,
    /// The validators that looked at it, by name.
    pub validators: &'a [&'a str],
    /// The policy that decided.
    pub revision: u64,
}

/// How a call ended: three ways to fail, which are not the same.
#[derive(Clone, Copy, Debug)]
pub enum Ending<'a> {
    /// With a result.
    Result,
    /// With a result that says `isError`: the tool itself failed.
    ToolError,
    /// With an error of JSON-RPC: the server refused, or failed.
    Error(&'a ErrorObject),
    /// Without an answer: the connection, or the time, was over. Whether the tool ran is not known.
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

    /// It may leave: under which rule, with which arguments, with whose consent. Kept before it does (DESIGN 8).
    pub fn admitted(&self, because: &str, arguments: &Digest, consent: Option<&RequestId>) -> Draft {
        let details = self
            .details()
            .text("because", because)
            .text("arguments_sha256", &arguments.to_string())
            .maybe_text("request_id", consent.map(RequestId::as_str));
        self.draft(EventType::CALL_ADMITTED, Outcome::Success, details)
    }

    /// It may not: `VALIDATION_FAILED` and `CODE_REJECTED` where a validator says so, `PENDING` where somebody has to decide, else `TOOL_BLOCKED`.
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

    /// It was made, and this is how it ended: `TOOL_EXECUTED`.
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
