//! Adapts notifications between revisions.

use std::borrow::Cow;

use jsonrpc::Raw;

use crate::meta::{self, key};
use crate::revision::Revision;
use crate::tasks;

/// Adapts a notification to the receiver's revision. Returns `None` where that revision has no such notification.
///
/// The status of a legacy task that has ended or waits for input is `None` too: the modern notification carries the
/// task's result, and the legacy one does not (see [`tasks::status_to_modern`]). A notification that no revision
/// defines passes unchanged.
#[must_use]
pub fn notification<'a>(method: &'a str, params: Option<&Raw>, from: Revision, to: Revision) -> Option<(Cow<'a, str>, Option<Raw>)> {
    let same = |params: Option<Raw>| Some((Cow::Borrowed(method), params));
    match (from.is_modern(), to.is_modern()) {
        (false, true) => match method {
            "notifications/elicitation/complete" | "notifications/roots/list_changed" | "notifications/initialized" => None,
            "notifications/tasks/status" => {
                let params = params?;
                let told = matches!(tasks::status(params)?, tasks::Status::Working | tasks::Status::Cancelled);
                told.then(|| {
                    (
                        Cow::Borrowed("notifications/tasks"),
                        Some(tasks::status_to_modern(params, &tasks::Payload::None)),
                    )
                })
            }
            _ => same(params.cloned()),
        },
        (true, false) => match method {
            "notifications/subscriptions/acknowledged" => None,
            "notifications/tasks" => Some((Cow::Borrowed("notifications/tasks/status"), Some(tasks::status_to_legacy(params?)))),
            _ => same(params.map(|params| meta::remove(params, key::SUBSCRIPTION_ID))),
        },
        _ => same(params.cloned()),
    }
}
