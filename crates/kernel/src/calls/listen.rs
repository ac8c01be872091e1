//! The servers' side of a modern client's `subscriptions/listen`: opened at all servers at once, and maintained.

use std::collections::HashSet;
use std::sync::Arc;

use catalog::View;
use futures_util::stream::{self, StreamExt as _};
use guard::SendPermit;
use jsonrpc::Raw;
use mcp::client::Filter;
use mcp::exchange::{Outcome, Peer, Request};
use mcp::revision::Era;
use model::ServerId;
use policy::Action;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};
use upstream::{Line, Server, Session};

use super::room::Asked;
use super::subscriptions::{SUBSCRIBE_WAIT, Subscribed};
use super::{lists, resources};

/// The number of one stream's URIs that are subscribed to at one server at the same time.
const AT_ONCE: usize = 16;

/// A URI, and the permit to subscribe to it.
type Admitted = (String, SendPermit);

/// Returns the part of the filter that the gateway honours, and the subscriptions made for it. A subscription that takes longer than `startup_wait`
/// is left out, as the acknowledgement shows the client (2026-07-28 basic/patterns/subscriptions); when such a server is available, lists change, and
/// the client may ask again.
pub(crate) async fn open(asked: Asked<'_>, request: &Request) -> (Filter, Vec<Subscribed>) {
    let wanted = Filter::read(request.params.as_ref());
    let view = lists::settled(asked.calls, asked.caller, &request.peer).await;
    let mut honoured = lists::honoured(&view, &wanted);
    honoured.tasks.retain(|task| asked.calls.tasks.is_known(asked.caller, task));
    let until = Instant::now() + asked.calls.settings.load().startup_wait;
    let opening = by_server(asked, request, &view, wanted.uris)
        .await
        .into_iter()
        .map(|(server, uris)| subscribe(asked, &request.peer, server, uris, until));
    let subscribed = futures_util::future::join_all(opening).await;
    (honoured, subscribed.into_iter().flatten().collect())
}

/// Reconnects lines whenever their connections are lost, because no call may use them before the next update.
pub(crate) async fn keep_up(lines: Vec<Arc<Line>>) {
    futures_util::future::join_all(lines.into_iter().map(keep_up_one)).await;
}

async fn keep_up_one(line: Arc<Line>) {
    let server = Arc::downgrade(&line.server);
    upstream::keep_connected(&server, || Some(line.clone())).await;
}

/// Returns the lines of subscriptions, each once.
pub(crate) fn lines_of(subscribed: &[Subscribed]) -> Vec<Arc<Line>> {
    let mut lines: Vec<Arc<Line>> = Vec::new();
    for Subscribed { line, .. } in subscribed {
        if !lines.iter().any(|known| Arc::ptr_eq(known, line)) {
            lines.push(line.clone());
        }
    }
    lines
}

/// Returns the URIs that the caller may subscribe to, each with the server that it belongs to.
async fn by_server(asked: Asked<'_>, request: &Request, view: &View, uris: Vec<String>) -> Vec<(Arc<Server>, Vec<Admitted>)> {
    let mut sorted: Vec<(Arc<Server>, Vec<Admitted>)> = Vec::new();
    let mut seen = HashSet::new();
    for uri in uris {
        let owner = resources::find(asked, view, &uri).ok().filter(|id| may_subscribe(view, id));
        let Some(server) = owner.and_then(|id| asked.calls.server(&id)) else {
            continue;
        };
        let action = Action::Subscribe {
            server: &server.spec().id,
            uri: &uri,
        };
        let Ok(permit) = asked.admit(action, request).await else {
            continue;
        };
        if !seen.insert(uri.clone()) {
            continue;
        }
        match sorted.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &server)) {
            Some((_, uris)) => uris.push((uri, permit)),
            None => sorted.push((server, vec![(uri, permit)])),
        }
    }
    sorted
}

/// Returns whether a server has declared that its resources can be subscribed to.
fn may_subscribe(view: &View, server: &ServerId) -> bool {
    let offer = view.offers().iter().find(|offer| offer.server == *server);
    let said = offer.and_then(|offer| offer.advertised.capabilities.at(&["resources", "subscribe"]));
    said.is_some_and(|said| said.as_bool() == Some(true))
}

/// Subscribes to URIs of one server. Returns those that it has granted before the deadline.
async fn subscribe(asked: Asked<'_>, peer: &Arc<Peer>, server: Arc<Server>, uris: Vec<Admitted>, until: Instant) -> Vec<Subscribed> {
    let Ok(Some((line, session))) = timeout_at(until, connected(asked, peer, server)).await else {
        return Vec::new();
    };
    asked.caller.attach(&line);
    if session.era() == Era::Modern {
        return wanted(&line, uris, until).await;
    }
    let asking = uris
        .into_iter()
        .map(|(uri, permit)| ask(asked, &line, &session, uri, permit, until));
    let granted = stream::iter(asking).buffer_unordered(AT_ONCE).filter_map(std::future::ready);
    granted.collect().await
}

/// Subscribes to URIs on the line's own stream to a modern server. An update right after the acknowledgement must not be missed; a server that does
/// not acknowledge may send updates all the same.
async fn wanted(line: &Arc<Line>, uris: Vec<Admitted>, until: Instant) -> Vec<Subscribed> {
    let standing = uris.into_iter().filter(|(_, permit)| permit.stands());
    let subscribed: Vec<Subscribed> = standing.map(|(uri, _)| Subscribed::new(line, uri)).collect();
    for Subscribed { uri, .. } in &subscribed {
        drop(timeout_at(until, line.until_subscribed(uri)).await);
    }
    subscribed
}

/// Returns the line to listen on, and its connection. Connecting continues when no client waits for it any more, so that a slow server is ready for
/// the next client.
async fn connected(asked: Asked<'_>, peer: &Arc<Peer>, server: Arc<Server>) -> Option<(Arc<Line>, Arc<Session>)> {
    let (sender, made) = oneshot::channel();
    let (principal, peer) = (asked.caller.principal().clone(), peer.clone());
    asked.calls.runtime.spawn_until_shutdown(async move {
        let Ok(line) = server.listening_line(&principal, &peer).await else {
            return;
        };
        if let Ok(session) = line.session().await {
            drop(sender.send((line, session)));
        }
    });
    made.await.ok()
}

/// Subscribes to a URI at a legacy server.
async fn ask(
    asked: Asked<'_>,
    line: &Arc<Line>,
    session: &Arc<Session>,
    uri: String,
    permit: SendPermit,
    until: Instant,
) -> Option<Subscribed> {
    let subscribed = Subscribed::new(line, uri);
    let params = Raw::object_empty().edit().set(&["uri"], &Raw::string(&subscribed.uri)).finish();
    let request = Request::internal("resources/subscribe", Some(params), asked.calls.identity().peer.clone());
    let answered = upstream::ask_under(session, request, &permit, SUBSCRIBE_WAIT);
    let granted = matches!(timeout_at(until, answered).await, Ok(Ok(Outcome::Result(_))));
    granted.then_some(subscribed)
}
