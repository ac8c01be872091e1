//! The handlers of the audit.

use kernel::operator::Operations;
use store::{AuditQuery, AuditResult};

use crate::input::{Input, Nothing};
use crate::page::Page;
use crate::problem::Problem;
use crate::shapes::audit::{Event, Filter, Start};
use crate::stream::Stream;

pub(crate) async fn query(operations: Operations, input: Input<Nothing, Filter>) -> Result<Page<Event>, Problem> {
    let page = operations.store()?.query(wanted(input.query)?).await?;
    Ok(Page {
        items: page.events.iter().map(Event::from).collect(),
        next: page.next.map(|cursor| cursor.to_string()),
    })
}

fn wanted(filter: Filter) -> Result<AuditQuery, Problem> {
    let text = |text: Option<String>| text.map(Into::into);
    let kinds = filter.kinds.unwrap_or_default();
    let cursor = filter.cursor.map(|cursor| {
        let wrong = |_| {
            Problem::invalid(format!(
                "the parameter `cursor` can't be `{}`: it is a whole number",
                cursor.as_str()
            ))
        };
        cursor.as_str().parse().map_err(wrong)
    });
    Ok(AuditQuery {
        from: filter.since.map(|at| at.0),
        until: filter.until.map(|at| at.0),
        kinds: kinds.split(',').filter(|kind| !kind.is_empty()).map(Into::into).collect(),
        actor_kind: None,
        actor: text(filter.actor),
        server: text(filter.server),
        tool: text(filter.tool),
        result: filter.result.as_deref().map(result).transpose()?,
        trace: text(filter.trace),
        order: filter.order.into(),
        cursor: cursor.transpose()?,
        limit: filter.limit.get(),
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

/// Streams events as they come. A reader that falls behind delays only itself, because the stream reads the log and no queue.
pub(crate) fn stream(operations: &Operations, input: Input<Nothing, Start>) -> Result<Stream<Event>, Problem> {
    let seen: Option<u64> = match input.last_event {
        Some(id) => Some(
            id.parse()
                .map_err(|_| Problem::invalid("`Last-Event-ID` must be the number of an event"))?,
        ),
        None => None,
    };
    let from = seen.map_or(input.query.from, |seen| Some(seen.saturating_add(1)));
    let mut follower = operations.store()?.follow(from.unwrap_or(0));
    Ok(Stream::of(|sender| async move {
        while let Ok(chunk) = follower.next().await {
            for event in &chunk.events {
                if sender.send(Some(event.seq), Event::from(event)).await.is_err() {
                    return;
                }
            }
        }
    }))
}
