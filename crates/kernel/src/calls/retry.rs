//! Makes a failed call again where its server says that this helps, and falls back to another tool where it names one (MGP §14.6, MGP D32).
//!
//! Law: the call that is repeated is the call that was admitted, and only while its permit stands. A fallback is another tool, which is admitted
//! separately.

use std::sync::Arc;
use std::time::Instant;

use mcp::exchange::{Outcome, Request};
use mgp::audit::{Actor, Draft, EventType, Outcome as Ended, Target};
use mgp::error::Reported;
use mgp::retry::{Caps, Plan, Step, details};
use model::{ToolId, Trace};
use upstream::Server;

use super::admission::{AdmittedCall, admit};
use super::room::Asked;
use super::{send, tasks};

/// Makes an admitted call, repeats it where that helps, and records its outcome.
pub(crate) async fn call_with_retry<'a>(
    asked: Asked<'a>,
    mut request: Box<Request>,
    server: &Arc<Server>,
    mut admitted: AdmittedCall<'a>,
    mut task_required: bool,
) -> Outcome {
    let mut tool = admitted.tool().clone();
    let (mut plan, since) = (Plan::new(Caps::default()), runtime::now());
    loop {
        let permit = admitted.permit();
        let attempt = request.clone();
        let outcome = match task_required || tasks::is_wanted(&request) {
            true => tasks::call(asked, attempt, server, permit, task_required).await,
            false => send::send(asked, attempt, server, permit).await,
        };
        let step = failed(asked, server, &tool, &mut plan, &outcome, since, &request.trace).await;
        match step {
            Some(Step::Again(wait)) => tokio::time::sleep(wait).await,
            Some(Step::Fallback(name)) => {
                admitted.ended(&outcome).await;
                tool.name = name.as_str().into();
                task_required = false;
                request.rename = Some(tool.name.clone());
                match admit(asked, &mut request, &tool).await {
                    Ok(other) => admitted = other,
                    // The failure of the first tool says more than the refusal of the fallback.
                    Err(_) => return outcome,
                }
            }
            Some(Step::GiveUp(_)) | None => {
                admitted.ended(&outcome).await;
                return outcome;
            }
        }
    }
}

/// Returns what follows an attempt that failed; none if it did not fail, or its server says nothing about that.
async fn failed(
    asked: Asked<'_>,
    server: &Server,
    tool: &ToolId,
    plan: &mut Plan,
    outcome: &Outcome,
    since: Instant,
    trace: &Trace,
) -> Option<Step> {
    let Outcome::Error(failed) = outcome else { return None };
    failed.message.as_ref()?;
    let error = Reported::read(&failed.error);
    if !error.recovery.retryable {
        return None;
    }
    let left = server.spec().request_timeout.saturating_sub(since.elapsed());
    let step = plan.failed(&error, left, runtime::number());
    let principal = &asked.caller.subject.principal;
    let actor = Actor::principal(&principal.id, principal.role);
    let draft = Draft::new(EventType::RETRY, actor, Target::tool(tool), Ended::Failure);
    let draft = draft.details(details(plan, &error, &step));
    asked.calls.guard.record().after(draft, trace).await;
    Some(step)
}
