//! A refusal of the gateway's own, and the two shapes in which it is told (§14.4, D18).

use jsonrpc::{ErrorObject, ObjectBuilder, Raw};
use model::RequestId;

use super::{Code, Recovery, Strategy};
use crate::carrier::MGP;

/// Violations that are told of one refusal; each is one line.
const MOST_VIOLATIONS: usize = 32;

/// Why something is not done, and what to do about it.
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
    /// A refusal that says about trying again what its code says. The message says what is refused and why, for whoever asked.
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

    /// The same with a way out: whom to ask, what to change.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.said.hint = Some(hint.into());
        self
    }

    /// The same with details, an object.
    pub fn with_details(mut self, details: Raw) -> Self {
        self.said.recovery.details = Some(details);
        self
    }

    /// The same with what a validator found, and an object that says what it would accept (§7.4).
    pub fn with_violations(mut self, violations: impl IntoIterator<Item = String>, hints: Option<Raw>) -> Self {
        self.said.violations = violations.into_iter().take(MOST_VIOLATIONS).collect();
        self.said.hints = hints;
        self
    }

    /// The same with a tool to use instead.
    pub fn with_fallback(mut self, tool: impl Into<String>) -> Self {
        self.said.recovery.fallback_tool = Some(tool.into());
        self
    }

    /// The same, to be tried again after some milliseconds, in the manner of its code or else at a steady pace.
    pub fn retry_after(mut self, wait_ms: u64, times: u32) -> Self {
        let recovery = &mut self.said.recovery;
        recovery.retryable = true;
        recovery.retry_after_ms = Some(wait_ms);
        recovery.strategy = recovery.strategy.or(Some(Strategy::FixedDelay));
        recovery.max_retries = Some(times);
        self
    }

    /// The same with the request that somebody has to decide on, in the details (D2). To be tried again: people take their time.
    pub fn waiting_for(self, request: &RequestId) -> Self {
        let details = self.said.recovery.details.clone().unwrap_or_else(Raw::object_empty);
        let details = details.edit().set(&["request_id"], &Raw::string(request.as_str())).finish();
        self.with_details(details).retry_after(5_000, 12)
    }

    /// Arguments that don't fit.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidToolArgs, message)
    }

    /// What is refused and why.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.said.message
    }

    /// What it says about trying again.
    #[must_use]
    pub fn recovery(&self) -> &Recovery {
        &self.said.recovery
    }

    /// What a client is answered, whose request was `tools/call` or another. An error where it negotiated `error_handling`, and for every other
    /// method; else a result that its model can read.
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

    /// The error of §14.4. What a rejection says beside the recovery fields is in its `details`.
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

    /// The body of a rejection: §7.4, with the code and the recovery fields of §14.4.
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

    /// A tool's result that holds the rejection as text, the only thing that every host shows its model.
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

    /// The details with the way out and the findings; keys that the details have themselves stay theirs.
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
