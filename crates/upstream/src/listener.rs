//! The streams for messages that belong to no call: GET of a legacy session, `subscriptions/listen` of the modern era.

use std::sync::Arc;
use std::time::Duration;

use jsonrpc::Raw;
use mcp::capabilities::ServerCapabilities;
use mcp::client::Filter;
use mcp::exchange::Request;
use mcp::method::ListKind;
use tokio::sync::oneshot;

use crate::backoff::Backoff;
use crate::call::Call;
use crate::line::Line;
use crate::link::{Link, Reply, ReplyBody};
use crate::session::Session;
use crate::waiter::{CallEvent, EventSink};

/// Follows the GET stream of a legacy HTTP session for as long as the session lives; a server without one answers 405.
/// The receiver resolves when the first attempt was answered.
pub(crate) fn follow_session(session: &Arc<Session>) -> oneshot::Receiver<()> {
    let (opened, opening) = oneshot::channel();
    let mut opened = Some(opened);
    let weak = Arc::downgrade(session);
    let over = session.over().clone();
    session.context.runtime.spawn(async move {
        over.run_until_cancelled(async move {
            let mut backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(30));
            let mut last_event: Option<String> = None;
            loop {
                let Some((link, token, revision)) = weak.upgrade().and_then(|s| match s.link.get() {
                    Some(Link::Http(link)) => Some((link.clone(), s.token.get().cloned(), s.revision())),
                    _ => None,
                }) else {
                    return;
                };
                let mut wait = backoff.next();
                let reply = link.listen(token.as_deref(), revision.as_str(), last_event.as_deref()).await;
                drop(opened.take());
                tracing::debug!(reply = ?reply.as_ref().map(|reply| reply.status), "asked for the session's own stream");
                match reply {
                    Ok(Reply {
                        body: ReplyBody::Events(mut stream),
                        ..
                    }) => {
                        backoff.reset();
                        while let Some(Ok(event)) = stream.next().await {
                            last_event = event.id.or(last_event);
                            wait = event.retry.unwrap_or(wait);
                            let Some(session) = weak.upgrade() else { return };
                            if !event.data.is_empty()
                                && let Err(error) = session.receive(event.data, None, &mut Vec::new())
                            {
                                tracing::warn!(server = %session.server(), %error, "an event is not a message");
                            }
                        }
                    }
                    Ok(Reply { status: 404, .. }) if token.is_some() => {
                        if let Some(session) = weak.upgrade() {
                            session.end_forgotten("the server does not know the session any more");
                        }
                        return;
                    }
                    Ok(_) => return,
                    Err(_) => {}
                }
                tokio::time::sleep(wait).await;
            }
        })
        .await;
    });
    opening
}

/// Keeps one `subscriptions/listen` open on a modern connection, with a filter that follows what the line's sharers want.
pub(crate) fn start(line: &Arc<Line>, session: &Arc<Session>) {
    let (line, session) = (Arc::downgrade(line), Arc::downgrade(session));
    let Some(strong) = session.upgrade() else { return };
    let over = strong.over().clone();
    strong.context.runtime.spawn(async move {
        over.run_until_cancelled(async move {
            let mut backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(30));
            let mut open: Option<Call> = None;
            let mut opened = Filter::default();
            loop {
                let (Some(line), Some(session)) = (line.upgrade(), session.upgrade()) else {
                    return;
                };
                let wanted = filter(&line, &session);
                if wanted != opened || (open.is_none() && wanted != Filter::default()) {
                    open = if wanted == Filter::default() {
                        None
                    } else {
                        listen(&session, &wanted)
                    };
                    opened = wanted;
                }
                drop(session);
                let changed = line.wanted.notified();
                tokio::pin!(changed);
                match &mut open {
                    None => changed.await,
                    Some(call) => tokio::select! {
                        () = &mut changed => {}
                        () = until_ended(call, &line) => {
                            open = None;
                            tokio::time::sleep(backoff.next()).await;
                        }
                    },
                }
            }
        })
        .await;
    });
}

fn filter(line: &Arc<Line>, session: &Session) -> Filter {
    let capabilities = session
        .ready()
        .map(|ready| ServerCapabilities::new(ready.offer.capabilities.clone()));
    let capabilities = capabilities.unwrap_or_else(ServerCapabilities::empty);
    Filter {
        tools: capabilities.list_changed(ListKind::Tools),
        prompts: capabilities.list_changed(ListKind::Prompts),
        resources: capabilities.list_changed(ListKind::Resources),
        uris: line.subscriptions(),
        tasks: line.tasks(),
    }
}

fn listen(session: &Arc<Session>, filter: &Filter) -> Option<Call> {
    let params = Raw::object_empty().edit().set(&["notifications"], &filter.to_raw()).finish();
    let request = Request::internal(
        "subscriptions/listen",
        Some(params),
        session.context.identity.listening_peer.clone(),
    );
    Call::place(session, &request, EventSink::Dropped, &session.context.own_permit).ok()
}

async fn until_ended(call: &mut Call, line: &Line) {
    loop {
        match call.next().await {
            CallEvent::Interim(message) if message.method() == Some("notifications/subscriptions/acknowledged") => {
                line.acknowledged(&message)
            }
            CallEvent::Interim(_) | CallEvent::Greeted(_) | CallEvent::Aside(_) | CallEvent::Ask(..) => {}
            CallEvent::Done(_) | CallEvent::Lost(_) | CallEvent::NotSent(_) | CallEvent::SessionGone => return,
        }
    }
}
