//! Refusals of the gateway's own, and their two shapes on the wire (§14.4, D18).

use jsonrpc::{ErrorObject, ObjectBuilder, Raw};
use model::RequestId;

use super::{Code, Recovery, Strategy};
use crate::carrier::MGP;

/// The number of violations that one refusal reports; each is one line.
const MOST_VIOLATIONS: usize = 32;

/// A refusal: the reason why something is not done, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Refusal {
    /// The code.
    pub code: Code,
    said: Box<Said>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    message: String,
    recovery: Recovery,
    hint: Option<String>,
    violations: Vec<String>,
    hints: Option<Raw>,
}

impl Refusal {
    /// Creates a refusal with the recovery of its code. The message tells the caller what is refused and why.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let said = Said {
            message: message.into(),
            recovery: code.recovery(),
            hint: None,
            violations: Vec::new(),
            hints: None,
        };
        Self {
            code,
            said: Box::new(said),
        }
    }

    /// Sets the way out: whom to ask, what to change.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.said.hint = Some(hint.into());
        self
    }

    /// Sets the details, an object.
    pub fn with_details(mut self, details: Raw) -> Self {
        self.said.recovery.details = Some(details);
        self
    }

    /// Sets a validator's findings, and an object that says what it would accept (§7.4).
    pub fn with_violations(mut self, violations: impl IntoIterator<Item = String>, hints: Option<Raw>) -> Self {
        self.said.violations = violations.into_iter().take(MOST_VIOLATIONS).collect();
        self.said.hints = hints;
        self
    }

    /// Sets a tool to use instead.
    pub fn with_fallback(mut self, tool: impl Into<String>) -> Self {
        self.said.recovery.fallback_tool = Some(tool.into());
        self
    }

    /// Makes the refusal retryable after some milliseconds, with the strategy of its code, or else with a fixed delay.
    pub fn retry_after(mut self, wait_ms: u64, times: u32) -> Self {
        let recovery = &mut self.said.recovery;
        recovery.retryable = true;
        recovery.retry_after_ms = Some(wait_ms);
        recovery.strategy = recovery.strategy.or(Some(Strategy::FixedDelay));
        recovery.max_retries = Some(times);
        self
    }

    /// Adds to the details the request that a person has to decide about (D2), and makes the refusal retryable.
    pub fn waiting_for(self, request: &RequestId) -> Self {
        let details = self.said.recovery.details.clone().unwrap_or_else(Raw::object_empty);
        let details = details.edit().set(&["request_id"], &Raw::string(request.as_str())).finish();
        self.with_details(details).retry_after(5_000, 12)
    }

    /// Creates the refusal of invalid arguments.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidToolArgs, message)
    }

    /// Returns the message: what is refused and why.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.said.message
    }

    /// Returns the recovery fields.
    #[must_use]
    pub fn recovery(&self) -> &Recovery {
        &self.said.recovery
    }

    /// Returns the answer to a client. It is an error if the client negotiated `error_handling`, or its request was not `tools/call`; else a result
    /// that its model can read.
    ///
    /// # Errors
    /// The error to answer with.
    pub fn answer(&self, is_tool_call: bool, error_handling: bool) -> Result<Raw, ErrorObject> {
        if is_tool_call && !error_handling {
            Ok(self.to_result())
        } else {
            Err(self.to_error())
        }
    }

    /// Returns the error of §14.4. The members that a rejection has beside the recovery fields are in its `details`.
    #[must_use]
    pub fn to_error(&self) -> ErrorObject {
        let details = self.all_details();
        let said = self
            .said
            .recovery
            .write(ObjectBuilder::new())
            .maybe("details", details.as_ref())
            .finish();
        ErrorObject::new(self.code.number(), self.said.message.clone()).with_data(ObjectBuilder::new().raw(MGP, &said).finish())
    }

    /// Returns the body of a rejection: §7.4, with the code and the recovery fields of §14.4.
    #[must_use]
    pub fn to_rejection(&self) -> Raw {
        let members = ObjectBuilder::new()
            .text("status", "rejected")
            .raw("code", &Raw::of(&self.code.number()))
            .text("error", self.code.name())
            .text("reason", &self.said.message);
        let members = self
            .said
            .recovery
            .write(members)
            .maybe("details", self.said.recovery.details.as_ref())
            .maybe_text("remediation_hint", self.said.hint.as_deref());
        self.findings(members).finish()
    }

    /// Returns a tool's result that contains the rejection as text, the only content that every host shows its model.
    #[must_use]
    pub fn to_result(&self) -> Raw {
        let text = ObjectBuilder::new()
            .text("type", "text")
            .text("text", self.to_rejection().text())
            .finish();
        ObjectBuilder::new()
            .raw("content", &Raw::of(&[text]))
            .flag("isError", true)
            .finish()
    }

    fn findings(&self, members: ObjectBuilder) -> ObjectBuilder {
        let members = if self.said.violations.is_empty() {
            members
        } else {
            members.texts("violations", self.said.violations.iter().map(String::as_str))
        };
        members.maybe("hints", self.said.hints.as_ref())
    }

    /// Returns the details with the way out and the findings; keys of the details take precedence.
    fn all_details(&self) -> Option<Raw> {
        let own = self.said.recovery.details.as_ref();
        if self.said.hint.is_none() && self.said.violations.is_empty() && self.said.hints.is_none() {
            return own.cloned();
        }
        let more = ObjectBuilder::new().maybe_text("remediation_hint", self.said.hint.as_deref());
        let more = self.findings(more).finish().object().unwrap_or_default();
        let edit = own.cloned().unwrap_or_else(Raw::object_empty).edit();
        Some(more.iter().fold(edit, |edit, (key, value)| edit.set(&[key], value)).finish())
    }
}
