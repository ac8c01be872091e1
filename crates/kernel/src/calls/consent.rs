//! Asks a person for consent to a call: the caller's own person if that one can be asked, else an operator (MGP §4.4).

use guard::{Admission, Pending, Redeemed};
use jsonrpc::{Id, Message, Raw};
use mcp::adapt::{self, InputRequest, InputRequired};
use mcp::exchange::{Answered, Outcome, Request};
use mcp::revision::{Era, Revision};
use mcp::seal::Continuation;
use mgp::error::Refusal;
use model::{RequestId, ToolId};
use policy::{Answer, Reason};

use super::questions::OwnQuestion;
use super::room::Asked;

/// The key of our question in a modern client's answers.
const KEY: &str = "consent";

/// The outcome of asking for consent.
pub(super) enum Obtained {
    /// A person has decided, or policy has to be asked again: the admission goes on.
    Continue,
    /// The call is refused. That is on record.
    Refused(Refusal),
    /// The client asks its person, and comes back with the answer.
    AskInResult(Outcome),
}

/// The reason why a call is not made.
pub(super) enum Stop {
    /// A person closed the question without deciding.
    Closed(Reason),
    /// The answer could not be stored.
    Refused(Refusal),
}

/// Takes a modern client's answer to our question. Afterwards its request is what it was before we asked.
///
/// # Errors
/// When the person who was asked closed the question, or the answer could not be stored.
pub(super) async fn take_answer(asked: Asked<'_>, request: &mut Request, tool: &ToolId) -> Result<(), Stop> {
    let state = request.retry.as_ref().and_then(|retry| retry.state.as_ref());
    let Some(state) = state.and_then(|state| state.as_str().map(std::borrow::Cow::into_owned)) else {
        return Ok(());
    };
    let principal = &asked.caller.subject.principal;
    let opened = asked.calls.seal.open(principal, &tool.server, request, &state);
    let Some(Continuation::Consent { request: id }) = opened else {
        return Ok(());
    };
    let retry = request.retry.take().unwrap_or_default();
    request.params = request.params.as_ref().map(adapt::without_retry);
    let Some(answer) = retry.responses.as_ref().and_then(|responses| responses.get(KEY)) else {
        return Ok(());
    };
    take_in(asked, &RequestId::new(&id), &answer).await
}

/// Obtains a person's consent to a call that waits for it.
pub(super) async fn obtain(
    asked: Asked<'_>,
    request: &Request,
    admission: &mut Admission<'_>,
    pending: &Pending,
    tool: &ToolId,
) -> Obtained {
    let question = question(asked, tool, pending);
    let can_be_asked = question.check(&request.peer.capabilities).is_ok();
    match (can_be_asked, request.peer.era()) {
        (true, Era::Modern) => match in_result(asked, request, tool, question, pending) {
            Some(outcome) => Obtained::AskInResult(outcome),
            None => Obtained::Refused(admission.come_back(pending).await),
        },
        (true, Era::Legacy) => {
            let put = put(asked, request, &question);
            wait(asked, admission, pending, put).await
        }
        (false, _) => wait(asked, admission, pending, None).await,
    }
}

/// Waits until a person has decided.
async fn wait(asked: Asked<'_>, admission: &mut Admission<'_>, pending: &Pending, mut question: Option<OwnQuestion>) -> Obtained {
    let guard = &asked.calls.guard;
    let mut decisions = guard.decisions();
    let patience = match question {
        Some(_) => guard.approval_ttl(),
        None => guard.approval_hold(),
    };
    let until = tokio::time::Instant::now() + patience;
    loop {
        decisions.borrow_and_update();
        match admission.redeem(pending).await {
            Redeemed::Continue => return Obtained::Continue,
            Redeemed::Refused(refusal) => return Obtained::Refused(refusal),
            Redeemed::Pending => {}
        }
        tokio::select! {
            answer = answered(&mut question) => {
                question = None;
                let taken = match answer {
                    Some(answer) => take_in(asked, &pending.approval.request, &answer).await,
                    None => Ok(()),
                };
                match taken {
                    Ok(()) => {}
                    Err(Stop::Closed(reason)) => return Obtained::Refused(admission.refuse(&reason).await),
                    Err(Stop::Refused(refusal)) => return Obtained::Refused(refusal),
                }
            }
            _ = decisions.changed() => {}
            () = tokio::time::sleep_until(until) => return Obtained::Refused(match question {
                Some(_) => admission.expired(pending).await,
                None => admission.come_back(pending).await,
            }),
        }
    }
}

/// Returns the answer of the caller's person; none when the caller could not ask. Never resolves if the caller's person was not asked.
async fn answered(question: &mut Option<OwnQuestion>) -> Option<Raw> {
    match question {
        Some(question) => question.answer().await?.ok()?.result_raw(),
        None => std::future::pending().await,
    }
}

/// Takes a person's answer to the form. A person who closes it decides nothing: the call is refused, and consent may be asked for again.
async fn take_in(asked: Asked<'_>, request: &RequestId, answer: &Raw) -> Result<(), Stop> {
    let text = |path: &[&str]| answer.at(path).and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
    let (guard, principal) = (&asked.calls.guard, &asked.caller.subject.principal);
    let decided = match (text(&["action"]).as_deref(), text(&["content", "decision"]).as_deref()) {
        (Some("accept"), Some("once")) => Answer::Approve,
        (Some("accept"), Some("always")) => Answer::Always { until: None },
        (Some("accept" | "decline"), _) => Answer::Deny,
        _ => {
            guard.withdraw(request);
            return Err(Stop::Closed(Reason::ApprovalDenied {
                request: request.clone(),
                by: principal.id.clone(),
            }));
        }
    };
    match guard.answer(principal, request, decided).await {
        Ok(_) => Ok(()),
        Err(error) => match error.unstored() {
            Some(refusal) => Err(Stop::Refused(refusal)),
            // Another person was faster, or the answer is too late: the next step of the admission shows that.
            None => Ok(()),
        },
    }
}

// === the question

fn question(asked: Asked<'_>, tool: &ToolId, pending: &Pending) -> InputRequired {
    let shown = &pending.shown;
    let message = format!(
        "`{}` wants to call `{tool}`: {}.\n\nArguments: {}",
        asked.caller.principal(),
        shown.because,
        shown.arguments
    );
    let params = Raw::of(&serde_json::json!({
        "mode": "form",
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": {
                "decision": {
                    "type": "string",
                    "title": "May it?",
                    "description": "`once` lets this one call pass, `always` every later call of this tool, `deny` none",
                    "enum": ["once", "always", "deny"],
                }
            },
            "required": ["decision"],
        },
    }));
    InputRequired {
        requests: vec![InputRequest {
            key: KEY.to_owned(),
            method: "elicitation/create".to_owned(),
            params: Some(params),
        }],
        state: None,
    }
}

/// Puts the question to a caller that can be asked during its request.
fn put(asked: Asked<'_>, request: &Request, question: &InputRequired) -> Option<OwnQuestion> {
    let to = request.peer.revision;
    let first = question.requests.first();
    let params = first.and_then(|first| first.params.as_ref());
    let params = params.map(|params| adapt::reverse_params("elicitation/create", params, Revision::LATEST, to, ""));
    let message = Message::request(&Id::number(0), "elicitation/create", params.as_ref());
    asked.caller.ask(asked.ticket, message)
}

/// Returns the result that puts the question to a modern client, which sends the request again with the answer; none if its state cannot be sealed.
fn in_result(asked: Asked<'_>, request: &Request, tool: &ToolId, question: InputRequired, pending: &Pending) -> Option<Outcome> {
    let then = Continuation::Consent {
        request: pending.approval.request.as_str().to_owned(),
    };
    let (principal, ttl) = (&asked.caller.subject.principal, asked.calls.settings.load().park_ttl);
    let state = asked.calls.seal.close(principal, &tool.server, request, then, ttl)?;
    let question = InputRequired {
        state: Some(state),
        ..question
    };
    Some(Outcome::InputRequired(Answered {
        message: None,
        result: question.to_result(),
        revision: Revision::LATEST,
    }))
}
