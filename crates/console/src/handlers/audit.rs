//! What happened.

use kernel::desk::{Answer, Request};
use kernel::office::Office;
use serde_json::{Value, json};
use store::{AuditQuery, AuditResult, Order};

use super::stream;
use crate::Problem;
use crate::input::Query;
use crate::page::{limit, whole};
use crate::show;

pub(super) async fn query(office: &Office, query: &Query) -> Result<Answer, Problem> {
    let page = office.store()?.query(wanted(query)?).await?;
    let items: Vec<Value> = page.events.iter().map(show::event).collect();
    let next = page.next.map(|cursor| cursor.to_string());
    Ok(whole(200, &json!({ "items": items, "next": next })))
}

fn wanted(query: &Query) -> Result<AuditQuery, Problem> {
    let text = |name: &str| query.get(name).map(Into::into);
    let kinds = query.get("type").unwrap_or_default().split(',').filter(|kind| !kind.is_empty());
    Ok(AuditQuery {
        from: query.instant("since")?,
        until: query.instant("until")?,
        kinds: kinds.map(Into::into).collect(),
        actor_kind: None,
        actor: text("actor"),
        server: text("server"),
        tool: text("tool"),
        result: query.get("result").map(result).transpose()?,
        trace: text("trace"),
        order: match query.get("order") {
            None | Some("newest") => Order::Newest,
            Some("oldest") => Order::Oldest,
            Some(other) => return Err(Problem::invalid(format!("`order` can't be `{other}`: it is `newest` or `oldest`"))),
        },
        cursor: query.number("cursor")?,
        limit: limit(query)?,
    })
}

fn result(word: &str) -> Result<AuditResult, Problem> {
    use AuditResult::{Blocked, Failure, Pending, Success};
    let all = [Success, Failure, Blocked, Pending];
    let found = all.into_iter().find(|result| result.as_str().eq_ignore_ascii_case(word));
    found.ok_or_else(|| {
        let words = all.map(|result| format!("`{}`", result.as_str())).join(", ");
        Problem::invalid(format!("`result` can't be `{word}`: it is one of {words}"))
    })
}

/// Events as they come. A reader that falls behind waits for nobody: the log is read, not a queue.
pub(super) fn stream(office: &Office, query: &Query, request: &Request) -> Result<Answer, Problem> {
    let seen: Option<u64> = match &request.last_event {
        Some(id) => Some(
            id.parse()
                .map_err(|_| Problem::invalid("`Last-Event-ID` must be the number of an event"))?,
        ),
        None => None,
    };
    let from = seen.map_or(query.number("from")?, |seen| Some(seen.saturating_add(1)));
    let mut follower = office.store()?.follow(from.unwrap_or(0));
    Ok(stream::of(|sender| async move {
        while let Ok(chunk) = follower.next().await {
            for event in &chunk.events {
                if sender.send(stream::event(Some(event.seq), &show::event(event))).await.is_err() {
                    return;
                }
            }
        }
    }))
}
