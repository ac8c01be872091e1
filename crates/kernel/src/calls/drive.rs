//! Drives a call that was placed until it is over, or until a modern client must be asked.

use std::sync::Arc;
use std::time::Duration;

use jsonrpc::ErrorObject;
use mcp::exchange::{Outcome, Request};
use mcp::revision::Era;
use mgp::error::Code;
use upstream::{Call, CallEvent, Line};

use super::call_result::CallResult;
use super::room::Asked;
use super::{parking, refused};
use crate::mgp_offer::of_guard;

/// Waits for the events of a call, and delivers each to its destination.
pub(crate) async fn drive(asked: Asked<'_>, request: &Request, line: &Arc<Line>, mut call: Call) -> CallResult {
    let patience = line.server.spec.request_timeout;
    let mut wait = patience;
    loop {
        let Ok(event) = tokio::time::timeout(wait, call.next()).await else {
            return CallResult::Over(late(asked, request, line, wait));
        };
        match event {
            CallEvent::Interim(message) => asked.caller.interim(asked.ticket, message).await,
            CallEvent::Ask(question) if request.peer.era() == Era::Legacy => {
                // A person may take longer than a server.
                wait = patience.max(asked.calls.settings.load().park_ttl);
                asked.caller.put_question(Some(asked.ticket), question);
            }
            CallEvent::Ask(question) => match parking::park(asked, request, line, call, question) {
                Ok(outcome) => return CallResult::Over(outcome),
                Err(refused) => call = *refused,
            },
            CallEvent::Done(outcome) => return CallResult::Over(*outcome),
            CallEvent::NotSent(why) => return CallResult::NotDone(why),
            CallEvent::SessionGone => return CallResult::NotDone("it does not know the session any more".to_owned()),
            CallEvent::Lost(why) => return CallResult::Lost(why),
            CallEvent::Greeted(_) | CallEvent::Aside(_) => {}
        }
    }
}

fn late(asked: Asked<'_>, request: &Request, line: &Line, wait: Duration) -> Outcome {
    let text = format!(
        "server `{}` did not answer `{}` within {} s; its `request_timeout` can be raised in the configuration",
        line.server.spec.id,
        request.method.name(),
        wait.as_secs_f32()
    );
    let late = ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, text);
    Outcome::refused(refused::failure(&of_guard(&asked.calls.guard), &request.peer, Code::Timeout, late))
}
