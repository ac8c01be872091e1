//! Makes a failed call again where its server says that this helps, and falls back to another tool where it names one (MGP §14.6, D32).
//!
//! Law: what is made again is the call that was admitted, while what allowed it stands. A fallback is another tool, and is asked about anew.

use std::sync::Arc;
use std::time::Instant;

use mcp::exchange::{Outcome, Request};
use mgp::audit::{Actor, Draft, EventType, Outcome as Ended, Target};
use mgp::error::Reported;
use mgp::retry::{Caps, Plan, Step, details};
use model::{Ticket, ToolId, Trace};

use crate::client::Client;
use crate::guard::calls::{self, Admitted};
use crate::tasks;
use crate::upstream::Server;

/// Whose call to what it is.
struct Attempt<'a> {
    client: &'a Arc<Client>,
    server: &'a Arc<Server>,
    tool: ToolId,
}

/// Makes an admitted call, again where that helps; its end is on record.
pub(crate) async fn see_through(
    client: &Arc<Client>,
    ticket: Ticket,
    mut request: Box<Request>,
    server: &Arc<Server>,
    mut admitted: Admitted,
    mut required: bool,
) -> Outcome {
    if !server.says_how_to_retry() {
        let permit = admitted.permit.clone();
        let outcome = tasks::call(client, ticket, request, server, permit, required).await;
        admitted.ended(&outcome).await;
        return outcome;
    }
    let mut attempt = Attempt {
        client,
        server,
        tool: admitted.tool().clone(),
    };
    let (mut plan, since) = (Plan::new(Caps::default()), crate::now());
    loop {
        let permit = admitted.permit.clone();
        let outcome = tasks::call(client, ticket, request.clone(), server, permit, required).await;
        let Some(step) = attempt.failed(&mut plan, &outcome, since, &request.trace).await else {
            admitted.ended(&outcome).await;
            return outcome;
        };
        match step {
            Step::Again(wait) => tokio::time::sleep(wait).await,
            Step::Fallback(name) => {
                admitted.ended(&outcome).await;
                attempt.tool.name = name.as_str().into();
                required = false;
                request.rename = Some(attempt.tool.name.clone());
                match calls::admit(client, ticket, &mut request, attempt.tool.clone()).await {
                    Ok(other) => admitted = other,
                    // Why the first one failed says more than why the other may not be called.
                    Err(_) => return outcome,
                }
            }
            Step::GiveUp(_) => {
                admitted.ended(&outcome).await;
                return outcome;
            }
        }
    }
}

impl Attempt<'_> {
    /// What follows an attempt that failed; nothing where it did not, or its server says nothing about that.
    async fn failed(&self, plan: &mut Plan, outcome: &Outcome, since: Instant, trace: &Trace) -> Option<Step> {
        let Outcome::Error(failed) = outcome else { return None };
        failed.message.as_ref()?;
        let error = Reported::read(&failed.error);
        if !error.recovery.retryable {
            return None;
        }
        let inner = &self.client.inner;
        let left = self.server.spec.request_timeout.saturating_sub(since.elapsed());
        let step = plan.failed(&error, left, inner.random_u64());
        let actor = Actor::principal(&self.client.principal.id, self.client.principal.role);
        let draft = Draft::new(EventType::RETRY, actor, Target::tool(&self.tool), Ended::Failure);
        inner.guard.after(draft.details(details(plan, &error, &step)), trace).await;
        Some(step)
    }
}
