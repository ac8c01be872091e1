//! A modern client's `subscriptions/listen`: opened at all servers at once, acknowledged, kept up, and ended by whoever ends it first.

use std::collections::HashSet;
use std::sync::Arc;

use catalog::View;
use futures_util::stream::{self, StreamExt as _};
use jsonrpc::Raw;
use mcp::client::{Filter, Input};
use mcp::exchange::{Outcome, Peer, Request};
use mcp::revision::Era;
use model::{ServerId, Ticket};
use policy::Action;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::gate::Permit;
use crate::upstream::{Line, Server, Session, fetch, server};
use crate::{exchange, lists, resources, tasks};

/// URIs of one stream that one server is asked for at the same time.
const AT_ONCE: usize = 16;

/// A URI that somebody listens to. Dropping it gives the subscription back.
pub(crate) struct Subscribed {
    line: Arc<Line>,
    pub(crate) uri: String,
}

impl Subscribed {
    fn new(line: &Arc<Line>, uri: String) -> Self {
        line.subscribe(&uri);
        Self { line: line.clone(), uri }
    }

    pub(crate) fn is_of(&self, server: &ServerId) -> bool {
        self.line.server.spec.id == *server
    }
}

impl Drop for Subscribed {
    fn drop(&mut self) {
        resources::unsubscribe_upstream(&self.line, &self.uri);
    }
}

/// Serves a stream until its client cancels it, or until `ending`, which the client is told. Dropping it ends the stream without a word.
pub(crate) async fn serve(client: &Arc<Client>, ticket: Ticket, request: &Request, ending: &CancellationToken) {
    let Some(cancelled) = client.running(ticket) else { return };
    let stay = async {
        let (honoured, subscribed) = open(client, request).await;
        let lines = lines_of(&subscribed);
        let work = client.listen(ticket, honoured, subscribed);
        client.send(work).await;
        futures_util::future::join_all(lines.into_iter().map(keep_up)).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        biased;
        () = ending.cancelled() => {
            let work = client.take(Input::EndListen(ticket));
            client.send(work).await;
        }
        () = cancelled.notified() => {}
        () = stay => {}
    }
    client.end_listening(ticket);
}

/// What of its filter the gateway honours, and what was subscribed to for it. What takes longer than `startup_wait` is left out, as the client
/// reads in the acknowledgement (2026-07-28 basic/patterns/subscriptions); when such a server is there, lists change, and the client may ask again.
async fn open(client: &Arc<Client>, request: &Request) -> (Filter, Vec<Subscribed>) {
    let asked = Filter::read(request.params.as_ref());
    let view = lists::settled(client, &request.peer).await;
    let mut honoured = exchange::honoured(&view, &asked);
    honoured.tasks.retain(|task| tasks::is_known(client, task));
    let until = Instant::now() + client.inner.settings().startup_wait;
    let opening = by_server(client, request, &view, asked.uris)
        .await
        .into_iter()
        .map(|(server, uris)| subscribe(client, &request.peer, server, uris, until));
    let subscribed = futures_util::future::join_all(opening).await;
    (honoured, subscribed.into_iter().flatten().collect())
}

/// A URI, and leave to subscribe to it.
type Admitted = (String, Permit);

/// The URIs that the client may subscribe to, each with the server that it belongs to.
async fn by_server(client: &Client, request: &Request, view: &View, uris: Vec<String>) -> Vec<(Arc<Server>, Vec<Admitted>)> {
    let mut sorted: Vec<(Arc<Server>, Vec<Admitted>)> = Vec::new();
    let mut seen = HashSet::new();
    for uri in uris {
        let owner = resources::find(client, view, &uri).ok().filter(|id| may_subscribe(view, id));
        let Some(server) = owner.and_then(|id| client.inner.server(&id)) else {
            continue;
        };
        let action = Action::Subscribe {
            server: &server.spec.id,
            uri: &uri,
        };
        let Ok(permit) = client.admit(action, &request.trace).await else {
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

/// Whether a server has said that its resources can be subscribed to.
fn may_subscribe(view: &View, server: &ServerId) -> bool {
    let offer = view.offers().iter().find(|offer| offer.server == *server);
    let said = offer.and_then(|offer| offer.advertised.capabilities.at(&["resources", "subscribe"]));
    said.is_some_and(|said| said.as_bool() == Some(true))
}

/// Subscribes to URIs of one server; those that it has granted by then.
async fn subscribe(client: &Arc<Client>, peer: &Arc<Peer>, server: Arc<Server>, uris: Vec<Admitted>, until: Instant) -> Vec<Subscribed> {
    let Ok(Some((line, session))) = timeout_at(until, connected(client, peer, server)).await else {
        return Vec::new();
    };
    line.attach(client);
    if session.era() == Era::Modern {
        return wanted(&line, &session, uris, until).await;
    }
    let asking = uris.into_iter().map(|(uri, permit)| ask(&line, &session, uri, permit, until));
    let granted = stream::iter(asking).buffer_unordered(AT_ONCE).filter_map(std::future::ready);
    granted.collect().await
}

/// Has the line's own stream to a modern server carry URIs. An update right after the acknowledgement must not be missed; a server that does not
/// acknowledge its own may tell all the same.
async fn wanted(line: &Arc<Line>, session: &Session, uris: Vec<Admitted>, until: Instant) -> Vec<Subscribed> {
    let standing = uris.into_iter().filter(|(_, permit)| permit.stands(&session.inner));
    let subscribed: Vec<Subscribed> = standing.map(|(uri, _)| Subscribed::new(line, uri)).collect();
    for Subscribed { uri, .. } in &subscribed {
        drop(timeout_at(until, line.until_subscribed(uri)).await);
    }
    subscribed
}

/// The line to listen on, and its connection. It goes on being made when nobody waits for it any more: a server that is slow to start is there
/// for the next who asks.
async fn connected(client: &Client, peer: &Arc<Peer>, server: Arc<Server>) -> Option<(Arc<Line>, Arc<Session>)> {
    let (sender, made) = oneshot::channel();
    let (principal, peer, over) = (client.principal.id.clone(), peer.clone(), client.inner.shutdown.clone());
    let making = async move {
        let Ok(line) = server.listening_line(&principal, &peer).await else {
            return;
        };
        if let Ok(session) = line.session().await {
            drop(sender.send((line, session)));
        }
    };
    client.inner.spawn(async move {
        over.run_until_cancelled(making).await;
    });
    made.await.ok()
}

/// Asks a legacy server.
async fn ask(line: &Arc<Line>, session: &Arc<Session>, uri: String, permit: Permit, until: Instant) -> Option<Subscribed> {
    let subscribed = Subscribed::new(line, uri);
    let params = Raw::object_empty().edit().set(&["uri"], &Raw::string(&subscribed.uri)).finish();
    let request = Request::internal("resources/subscribe", Some(params), session.inner.own_peer.clone());
    let asked = fetch::ask_with(session, request, &permit, resources::SUBSCRIBE_WAIT);
    let granted = matches!(timeout_at(until, asked).await, Ok(Ok(Outcome::Result(_))));
    granted.then_some(subscribed)
}

fn lines_of(subscribed: &[Subscribed]) -> Vec<Arc<Line>> {
    let mut lines: Vec<Arc<Line>> = Vec::new();
    for Subscribed { line, .. } in subscribed {
        if !lines.iter().any(|known| Arc::ptr_eq(known, line)) {
            lines.push(line.clone());
        }
    }
    lines
}

/// Makes the connection of a line anew whenever it is lost: nobody else may use it before the next update.
async fn keep_up(line: Arc<Line>) {
    let server = Arc::downgrade(&line.server);
    server::tend(&server, |_| line.clone()).await;
}
