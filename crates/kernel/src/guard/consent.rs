//! Asks a person whether a call may pass: the one at the client where it can be asked, else an operator (MGP §4.4).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use jsonrpc::{Id, Message, Raw};
use mcp::adapt::{self, InputRequest, InputRequired};
use mcp::exchange::{Answered, Outcome, Request};
use mcp::revision::{Era, Revision};
use mcp::seal::Continuation;
use mgp::audit::{Actor, Draft, EventType, Outcome as Result_, Target};
use mgp::error::Refusal;
use model::{Approval, RequestId, ToolId};
use policy::{Answer, Call, Confirmed, Decision, NotConfirmed, Policy, Reason};
use store::{Change, Commit, CommitError};

use super::calls::Asking;
use super::{Guard, decide, ledger};
use crate::client::{Client, Question};

/// The key of our question in a modern client's answers.
const KEY: &str = "consent";
/// Bytes of arguments that a person is shown.
const SHOWN: usize = 2000;
/// Calls whose consent waits for their next round.
const MOST_CONTINUED: usize = 1024;

/// What came of asking.
pub(super) enum Consented {
    /// A person consents to this call.
    Yes(Call, Confirmed),
    /// It does not pass.
    No(Stop),
    /// Policy has to be asked again: what was decided may have changed it.
    Again,
    /// The client has to ask, and to come back.
    Ask(Outcome),
}

/// Why a call goes no further.
pub(super) enum Stop {
    /// Somebody refused it, or nobody answered.
    Refused(Reason),
    /// Nothing could be written down.
    Unstored(Refusal),
}

/// What the people who decide are shown of a call.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// Why they are asked.
    pub(crate) because: String,
    /// Its arguments, without secrets, as far as people read.
    pub(crate) arguments: String,
}

/// Consents to calls whose servers have asked for more input: the next round of the same call needs no other. Bounded; the oldest go first.
#[derive(Debug, Default)]
pub(super) struct Continued(VecDeque<(Instant, Call, Confirmed)>);

impl Continued {
    pub(super) fn put(&mut self, until: Instant, call: Call, confirmed: Confirmed) {
        if self.0.len() >= MOST_CONTINUED {
            self.0.pop_front();
        }
        self.0.push_back((until, call, confirmed));
    }

    pub(super) fn take(&mut self, now: Instant, call: &Call) -> Option<Confirmed> {
        self.0.retain(|(until, _, _)| *until > now);
        let at = self.0.iter().position(|(_, known, _)| known == call)?;
        self.0.remove(at).map(|(_, _, confirmed)| confirmed)
    }
}

/// Takes in the answer that a modern client brings to our question. Afterwards its request is what it was before we asked.
///
/// # Errors
/// When whoever was asked closed the question, or the answer could not be stored.
pub(super) async fn take_answer(client: &Arc<Client>, request: &mut Request, tool: &ToolId) -> Result<(), Stop> {
    let inner = &client.inner;
    let state = request.retry.as_ref().and_then(|retry| retry.state.as_ref());
    let Some(state) = state.and_then(|state| state.as_str().map(std::borrow::Cow::into_owned)) else {
        return Ok(());
    };
    let opened = inner.open_call(&client.principal, &tool.server, request, &state);
    let Some(Continuation::Consent { request: id }) = opened else {
        return Ok(());
    };
    let retry = request.retry.take().unwrap_or_default();
    request.params = request.params.as_ref().map(adapt::without_retry);
    let Some(answer) = retry.responses.as_ref().and_then(|responses| responses.get(KEY)) else {
        return Ok(());
    };
    take_in(client, &RequestId::new(&id), &answer).await
}

/// Gets a person's consent to a call.
pub(super) async fn obtain(asking: &Asking<'_>, policy: &Policy, decision: &Decision) -> Consented {
    let guard = &asking.client.inner.guard;
    let call = asking.call();
    match guard.redeem(policy, &call).await {
        Ok(confirmed) => return Consented::Yes(call, confirmed),
        Err(Unredeemed::Unstored(refusal)) => return Consented::No(Stop::Unstored(refusal)),
        Err(Unredeemed::Not(NotConfirmed::Denied(request, by))) => return denied(request, &by),
        Err(Unredeemed::Not(NotConfirmed::Nothing | NotConfirmed::Pending(_))) => {}
    }
    let shown = Shown {
        because: why(&decision.because),
        arguments: shown(guard, asking.arguments.as_ref()),
    };
    let approval = match guard.ask(asking, policy, &call, shown.clone()).await {
        Ok(approval) => approval,
        Err(stop) => return stop,
    };
    let question = question(asking, &shown);
    let can_be_asked = question.check(&asking.request.peer.capabilities).is_ok();
    match (can_be_asked, asking.request.peer.era()) {
        (true, Era::Modern) => in_result(asking, question, &approval),
        (true, Era::Legacy) => {
            let asked = put(asking, &question);
            wait(asking, &call, &approval, Some(asked)).await
        }
        (false, _) => wait(asking, &call, &approval, None).await,
    }
}

/// Waits until somebody has decided.
async fn wait(asking: &Asking<'_>, call: &Call, approval: &Approval, mut asked: Option<Question>) -> Consented {
    let guard = &asking.client.inner.guard;
    let mut decisions = guard.decisions();
    let patience = if asked.is_some() {
        guard.approval_ttl()
    } else {
        guard.approval_hold()
    };
    let until = tokio::time::Instant::now() + patience;
    loop {
        decisions.borrow_and_update();
        let policy = guard.policy.load_full();
        match guard.redeem(&policy, call).await {
            Ok(confirmed) => return Consented::Yes(call.clone(), confirmed),
            Err(Unredeemed::Unstored(refusal)) => return Consented::No(Stop::Unstored(refusal)),
            Err(Unredeemed::Not(NotConfirmed::Denied(request, by))) => return denied(request, &by),
            Err(Unredeemed::Not(NotConfirmed::Nothing)) if approval.expires.has_come(guard.calendar.now()) => return expired(approval),
            Err(Unredeemed::Not(NotConfirmed::Nothing)) => return Consented::Again,
            Err(Unredeemed::Not(NotConfirmed::Pending(_))) => {}
        }
        tokio::select! {
            answer = answered(&mut asked) => {
                asked = None;
                if let Some(stop) = heard(asking.client, approval, answer).await {
                    return stop;
                }
            }
            _ = decisions.changed() => {}
            () = tokio::time::sleep_until(until) => return match asked {
                Some(_) => expired(approval),
                None => Consented::No(Stop::Refused(Reason::ApprovalPending { request: approval.request.clone() })),
            },
        }
    }
}

/// What the client's person said; nothing when the client could not ask after all. Never, where nobody was asked.
async fn answered(asked: &mut Option<Question>) -> Option<Raw> {
    match asked {
        Some(question) => question.answer().await?.ok()?.result_raw(),
        None => std::future::pending().await,
    }
}

async fn heard(client: &Arc<Client>, approval: &Approval, answer: Option<Raw>) -> Option<Consented> {
    let answer = answer?;
    take_in(client, &approval.request, &answer).await.err().map(Consented::No)
}

fn denied(request: RequestId, by: &model::By) -> Consented {
    Consented::No(Stop::Refused(Reason::ApprovalDenied {
        request,
        by: by.principal.clone(),
    }))
}

fn expired(approval: &Approval) -> Consented {
    Consented::No(Stop::Refused(Reason::ApprovalExpired {
        request: approval.request.clone(),
    }))
}

/// Takes in what a person said to the form. Whoever closes it decides nothing: the call is refused, and may be asked about again.
async fn take_in(client: &Arc<Client>, request: &RequestId, answer: &Raw) -> Result<(), Stop> {
    let text = |path: &[&str]| answer.at(path).and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
    let guard = &client.inner.guard;
    let decided = match (text(&["action"]).as_deref(), text(&["content", "decision"]).as_deref()) {
        (Some("accept"), Some("once")) => Answer::Approve,
        (Some("accept"), Some("always")) => Answer::Always { until: None },
        (Some("accept" | "decline"), _) => Answer::Deny,
        _ => {
            guard.withdraw(request);
            let by = client.principal.id.clone();
            return Err(Stop::Refused(Reason::ApprovalDenied {
                request: request.clone(),
                by,
            }));
        }
    };
    match decide::answer(&client.inner, &client.principal, request, decided).await {
        Ok(_) => Ok(()),
        Err(decide::AnswerError::Store(CommitError::Store(error))) => Err(Stop::Unstored(ledger::unstored(&error))),
        // Somebody was faster, or it is too late: the call finds out itself.
        Err(_) => Ok(()),
    }
}

// === the question

/// Why a person is asked, for that person: after the name of what is called.
fn why(reason: &Reason) -> String {
    match reason {
        Reason::Confirm { risk, .. } => format!("it is {risk}, and asks for consent"),
        Reason::Review { .. } => "it is not what it was when it was approved".to_owned(),
        other => other.to_string(),
    }
}

fn question(asking: &Asking<'_>, shown: &Shown) -> InputRequired {
    let message = format!(
        "`{}` wants to call `{}`: {}.\n\nArguments: {}",
        asking.client.principal.id, asking.tool, shown.because, shown.arguments
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

/// Puts it to a legacy client.
fn put(asking: &Asking<'_>, question: &InputRequired) -> Question {
    let to = asking.request.peer.revision;
    let asked = question.requests.first();
    let params = asked.and_then(|asked| asked.params.as_ref());
    let params = params.map(|params| adapt::reverse_params("elicitation/create", params, Revision::LATEST, to, ""));
    let message = Message::request(&Id::number(0), "elicitation/create", params.as_ref());
    asking.client.ask_for_bridge(asking.ticket, message)
}

/// Puts it to a modern client: in the result, to come back with the answer.
fn in_result(asking: &Asking<'_>, question: InputRequired, approval: &Approval) -> Consented {
    let then = Continuation::Consent {
        request: approval.request.as_str().to_owned(),
    };
    let inner = &asking.client.inner;
    let Some(state) = inner.seal_call(&asking.client.principal, &asking.tool.server, asking.request, then) else {
        return Consented::No(Stop::Refused(Reason::ApprovalPending {
            request: approval.request.clone(),
        }));
    };
    let asked = InputRequired {
        state: Some(state),
        ..question
    };
    Consented::Ask(Outcome::InputRequired(Answered {
        message: None,
        result: asked.to_result(),
        revision: Revision::LATEST,
    }))
}

fn shown(guard: &Guard, arguments: Option<&Raw>) -> String {
    let redacted = arguments.map_or_else(Raw::object_empty, |arguments| guard.redactor().redact(arguments));
    let text = redacted.text();
    match text.len() <= SHOWN {
        true => text.to_owned(),
        false => format!("{}… ({} bytes)", &text[..text.floor_char_boundary(SHOWN)], text.len()),
    }
}

// === the book of those who wait

/// Why a consent was not redeemed.
enum Unredeemed {
    Not(NotConfirmed),
    Unstored(Refusal),
}

impl Guard {
    /// Redeems the consent to a call: once, and stored before it counts.
    async fn redeem(&self, policy: &Policy, call: &Call) -> Result<Confirmed, Unredeemed> {
        // What somebody has just decided and is not stored yet, is not there to be redeemed.
        let _deciding = self.deciding.lock().await;
        let (confirmed, used) = self
            .approvals()
            .machine
            .redeem(self.calendar.now(), policy, call)
            .map_err(Unredeemed::Not)?;
        let Some(ledger) = &self.ledger else { return Ok(confirmed) };
        let change = Change::MoveApproval {
            request: used.request.clone(),
            state: used.state,
        };
        match ledger.store.commit(Commit::new(vec![change], Vec::new())).await {
            Ok(_) => Ok(confirmed),
            Err(error) => {
                self.withdraw(&used.request);
                Err(match error {
                    CommitError::Store(error) => Unredeemed::Unstored(ledger::unstored(&error)),
                    // Somebody else used it, or it is too old: then there is none.
                    CommitError::Conflict(_) => Unredeemed::Not(NotConfirmed::Nothing),
                })
            }
        }
    }

    /// Puts a call among those that wait; one that waits already is not asked about twice.
    async fn ask(&self, asking: &Asking<'_>, policy: &Policy, call: &Call, shown: Shown) -> Result<Approval, Consented> {
        let id = RequestId::new(&asking.client.inner.new_token());
        let lasts = i64::try_from(self.approval_ttl().as_millis()).unwrap_or(i64::MAX);
        // Nobody decides about what is not stored yet.
        let _deciding = self.deciding.lock().await;
        let asked = {
            let mut approvals = self.approvals();
            let asked = approvals
                .machine
                .ask(self.calendar.now(), policy, id, call.clone(), lasts)
                .map_err(|reason| Consented::No(Stop::Refused(reason)))?;
            if asked.is_new {
                approvals.show(&asked.approval.request, shown);
            }
            asked
        };
        let approval = asked.approval;
        if asked.is_new
            && let Some(ledger) = &self.ledger
        {
            let actor = Actor::principal(&asking.client.principal.id, asking.client.principal.role);
            let draft = Draft::new(EventType::APPROVAL_REQUESTED, actor, Target::tool(&approval.tool), Result_::Pending);
            let draft = draft.details(Self::details(&[("request_id", approval.request.as_str())]));
            let event = Self::event(draft, &asking.request.trace);
            let commit = Commit::new(vec![Change::AskApproval(approval.clone())], vec![event]);
            if let Err(error) = ledger.store.commit(commit).await {
                self.withdraw(&approval.request);
                return Err(match error {
                    CommitError::Store(error) => Consented::No(Stop::Unstored(ledger::unstored(&error))),
                    CommitError::Conflict(_) => Consented::Again,
                });
            }
        }
        if asked.is_new {
            self.tell_decision();
        }
        Ok(approval)
    }

    fn withdraw(&self, request: &RequestId) {
        self.approvals().machine.withdraw(request);
        self.tell_decision();
    }
}
