//! The step of a call that admits it: the guard decides, a person is asked where the guard says so, and the outcome is recorded.

use std::sync::LazyLock;

use guard::{Admitted, SendPermit, Step, ToolCall};
use mcp::exchange::{Outcome, Request};
use memchr::memmem::Finder;
use mgp::audit::Ending;
use model::ToolId;

use super::room::Asked;
use super::{consent, refused};
use crate::mgp_offer::of_guard;

/// Finds the member that marks the result of a failed tool.
static NAMES_ERROR: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"isError\""));

/// A tool call that may be sent, until its end is recorded.
pub(crate) struct AdmittedCall<'a> {
    asked: Asked<'a>,
    admitted: Admitted,
}

/// Asks whether a tool may be called.
///
/// # Errors
/// The outcome for the caller instead: a refusal, or the question whether a person consents.
pub(crate) async fn admit<'a>(asked: Asked<'a>, request: &mut Request, tool: &ToolId) -> Result<AdmittedCall<'a>, Outcome> {
    let closed = consent::take_answer(asked, request, tool).await;
    let arguments = request.member("arguments").cloned();
    let request = &*request;
    let mut admission = asked.calls.guard.admission(ToolCall {
        subject: &asked.caller.subject,
        tool,
        arguments: arguments.as_ref(),
        trace: &request.trace,
        continues: request.retry.is_some(),
    });
    let refused = |refusal| refused::tool_call(&of_guard(&asked.calls.guard), &request.peer, &refusal);
    match closed {
        Ok(()) => {}
        Err(consent::Stop::Closed(reason)) => return Err(refused(admission.refuse(&reason).await)),
        Err(consent::Stop::Refused(refusal)) => return Err(refused(refusal)),
    }
    loop {
        match admission.step().await {
            Step::Admitted(admitted) => return Ok(AdmittedCall { asked, admitted }),
            Step::Refused(refusal) => return Err(refused(refusal)),
            Step::Ask(pending) => match Box::pin(consent::obtain(asked, request, &mut admission, &pending, tool)).await {
                consent::Obtained::Continue => {}
                consent::Obtained::Refused(refusal) => return Err(refused(refusal)),
                consent::Obtained::AskInResult(outcome) => return Err(outcome),
            },
        }
    }
}

impl AdmittedCall<'_> {
    /// Returns the permit to send it.
    pub(crate) fn permit(&self) -> SendPermit {
        self.admitted.permit.clone()
    }

    /// Returns the tool that is called.
    pub(crate) fn tool(&self) -> &ToolId {
        self.admitted.tool()
    }

    /// Records the outcome of the call. If its server asks for more input, the consent is kept for the next round.
    pub(crate) async fn ended(self, outcome: &Outcome) {
        let ending = match outcome {
            Outcome::InputRequired(_) => {
                let ttl = self.asked.calls.settings.load().park_ttl;
                return self.admitted.continues(ttl);
            }
            Outcome::Result(answered) if says_error(&answered.result) => Ending::ToolError,
            Outcome::Result(_) => Ending::Result,
            Outcome::Error(failed) if failed.message.is_none() => Ending::Lost(&failed.error.message),
            Outcome::Error(failed) => Ending::Error(&failed.error),
        };
        self.admitted.ended(ending).await;
    }
}

fn says_error(result: &jsonrpc::Raw) -> bool {
    NAMES_ERROR.find(result.bytes()).is_some() && result.get("isError").is_some_and(|says| says.as_bool() == Some(true))
}
