//! The public handle of the kernel: start, reload, look, end.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use mcp::exchange::Outcome;
use mcp::method::ListKind;
use mcp::revision::{Era, Revision};
use model::{Principal, ServerId, ToolId};
use tokio::sync::mpsc;

use crate::client::pipe::Pipe;
use crate::client::{Client, Delivery, dismiss_unwelcome, http};
use crate::credential;
use crate::front::{Answer, ClientPipe, Credential, Front, InPost, Listen, TokenRefusal};
use crate::guard::{alerts, permissions};
use crate::inner::{Inner, Servers};
use crate::link::{BoxFuture, Link};
use crate::office::{JudgedTool, Office, OfficeError};
use crate::outside::Outside;
use crate::security::Security;
use crate::settings::Settings;
use crate::spec::Start;
use crate::status::{ServerStatus, ToolStatus};
use crate::upstream::server::{self, Health};
use crate::upstream::{Server, fetch};

/// How often idle things are looked for.
const SWEEP: Duration = Duration::from_secs(5);
/// How long a line that nobody uses is kept.
const LINE_IDLE: Duration = Duration::from_secs(60);
/// How long the answers of calls that the end of the gateway has cut short may take.
pub(crate) const LAST_ANSWERS: Duration = Duration::from_secs(1);
/// How often they are looked for.
pub(crate) const LOOK_FOR_ANSWERS: Duration = Duration::from_millis(5);
/// How long one look at a server may take.
const LOOK_WAIT: Duration = Duration::from_secs(5);

/// A running gateway. Clones are handles of the same one.
#[derive(Clone, Debug)]
pub struct Kernel {
    inner: Arc<Inner>,
}

impl Kernel {
    /// Starts a gateway: remembers what its servers offered last, and starts those that are to start with it.
    /// Must be called within a Tokio runtime.
    #[must_use]
    pub fn start(settings: Settings, outside: Outside) -> Self {
        let inner = Inner::new(settings, outside);
        if inner.guard.ledger.is_some() {
            inner.spawn(alerts::watch(inner.clone()));
        }
        for server in inner.servers().iter() {
            bring_up(&inner, server);
        }
        sweep(&inner);
        Self { inner }
    }

    /// Swaps the configuration: servers that did not change keep running, others end, new ones start. Clients keep their sessions.
    pub fn reload(&self, settings: Settings) {
        let old = self.inner.servers();
        let weak = Arc::downgrade(&self.inner);
        let mut fresh = Vec::new();
        let list: Vec<Arc<Server>> = settings
            .servers
            .iter()
            .map(|spec| match old.get(&spec.id).filter(|server| server.spec.same_as(spec)) {
                Some(server) => server.clone(),
                None => {
                    let server = Server::new(spec.clone(), &weak);
                    fresh.push(server.clone());
                    server
                }
            })
            .collect();
        let kept: Vec<ServerId> = list.iter().map(|server| server.spec.id.clone()).collect();
        let gone: Vec<Arc<Server>> = old
            .iter()
            .filter(|server| !kept.contains(&server.spec.id) || fresh.iter().any(|f| f.spec.id == server.spec.id))
            .cloned()
            .collect();
        let guarded_anew = self.inner.guard.configure(settings.security.as_ref());
        self.inner.set_settings(settings);
        self.inner.set_servers(Servers::new(list));
        if guarded_anew {
            for server in self.inner.servers().iter() {
                permissions::configure(server);
                server.tell_guard(&self.inner);
            }
        }
        self.inner.views.outdated();
        for client in self.inner.clients.all() {
            client.drop_lines(&gone.iter().map(|server| server.spec.id.clone()).collect::<Vec<_>>());
        }
        for server in &gone {
            server.hang_up("the server was removed from the configuration, or changed");
        }
        for server in &fresh {
            bring_up(&self.inner, server);
        }
        if guarded_anew || !gone.is_empty() || !fresh.is_empty() {
            self.inner.hub.lists_changed(&self.inner, &ListKind::ALL.into_iter().collect());
        }
    }

    /// Puts another policy in force. What the one before admitted and is not sent yet is refused (DESIGN 9).
    pub fn set_policy(&self, policy: policy::Policy) {
        self.inner.guard.put(policy);
        self.inner.views.outdated();
    }

    /// How each tool of each server is judged by a configuration, and why, in the order of the servers and by name: for an owner who looks at it
    /// before anybody is served.
    #[must_use]
    pub fn judged(&self, security: &Security) -> Vec<JudgedTool> {
        judged(&self.inner, Some(security))
    }

    /// The office of an operator, who came in with that token.
    ///
    /// # Errors
    /// When it is none.
    pub fn office(&self, operator: Principal, credential: Option<&str>) -> Result<Office, OfficeError> {
        Office::open(self.inner.clone(), operator, credential)
    }

    /// Ends everything: streams in an orderly way, then servers, so that whoever waits for one is told, then sessions.
    pub async fn shutdown(&self, deadline: Duration) {
        self.inner.shutdown.cancel();
        self.inner.parked.clear();
        let mut closing = Vec::new();
        for server in self.inner.servers().iter() {
            for session in server.live_sessions() {
                if let Some(Link::Pipe(pipe)) = session.link.get() {
                    closing.push(pipe.peer.clone());
                }
            }
            server.hang_up("the gateway is shutting down");
        }
        let closed = futures_util::future::join_all(closing.iter().map(|peer| peer.close()));
        drop(tokio::time::timeout(deadline.min(LAST_ANSWERS), self.answer_all()).await);
        for client in self.inner.clients.take_sessions() {
            client.hang_up();
        }
        drop(tokio::time::timeout(deadline, closed).await);
        self.inner.tracker().close();
        drop(tokio::time::timeout(deadline, self.inner.tracker().wait()).await);
    }

    /// Resolves when every request that is under way has been answered. Those that the end of a server does not reach are cut short.
    async fn answer_all(&self) {
        let mut busy = self.inner.clients.all();
        tokio::time::sleep(LOOK_FOR_ANSWERS).await;
        for client in &busy {
            client.cut_short();
        }
        loop {
            busy.retain(|client| client.is_busy());
            if busy.is_empty() {
                return;
            }
            tokio::time::sleep(LOOK_FOR_ANSWERS).await;
        }
    }

    /// Waits until every server is known or has failed; says how each does, in the order of the configuration. `seen` hears of each at once.
    pub async fn look(&self, ping: bool, mut seen: impl FnMut(&ServerStatus)) -> Vec<ServerStatus> {
        let servers = self.inner.servers();
        let looks = servers.iter().cloned().enumerate();
        let mut looks: FuturesUnordered<_> = looks.map(async |(at, server)| (at, look_at(server, ping).await)).collect();
        let mut all = Vec::new();
        while let Some((at, status)) = looks.next().await {
            seen(&status);
            all.push((at, status));
        }
        all.sort_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, status)| status).collect()
    }

    /// How each server does, by what is known now.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        self.inner.servers().iter().map(status_of).collect()
    }

    /// The tools as a client without capabilities sees them.
    #[must_use]
    pub fn tools(&self) -> Vec<ToolStatus> {
        let client = Client::new(&self.inner, Principal::local().into(), Delivery::Http(Default::default()));
        let view = self.inner.view_for(&client, &self.inner.own_peer);
        let definition = |id: &ToolId| {
            let offer = view.offers().iter().find(|offer| offer.server == id.server)?;
            offer
                .tools
                .items
                .iter()
                .find(|item| item.key == *id.name)
                .map(|item| item.raw.clone())
        };
        view.wire_names()
            .filter_map(|(wire, id)| {
                Some(ToolStatus {
                    wire: wire.to_owned(),
                    definition: definition(&id)?,
                    id,
                })
            })
            .collect()
    }

    /// Numbers for tests of leaks: clients, HTTP sessions, unanswered calls, parked calls, running tasks.
    #[must_use]
    pub fn census(&self) -> [usize; 5] {
        let calls = self
            .inner
            .servers()
            .iter()
            .flat_map(|server| server.live_sessions())
            .map(|session| session.in_flight())
            .sum();
        let inner = &self.inner;
        [
            inner.clients.count(),
            inner.clients.sessions(),
            calls,
            inner.parked.len(),
            inner.tracker().len(),
        ]
    }
}

impl Front for Kernel {
    fn post(&self, post: InPost) -> BoxFuture<'_, Answer> {
        Box::pin(http::post(&self.inner, post))
    }

    fn listen(&self, listen: Listen) -> BoxFuture<'_, Answer> {
        Box::pin(std::future::ready(http::listen(&self.inner, &listen)))
    }

    fn delete(&self, who: &Credential, session: &str) -> BoxFuture<'_, Answer> {
        Box::pin(std::future::ready(http::delete(&self.inner, who, session)))
    }

    fn open(&self, who: Credential, outgoing: mpsc::Sender<Bytes>) -> Arc<dyn ClientPipe> {
        Arc::new(Pipe::new(Client::new(&self.inner, who, Delivery::Pipe(outgoing))))
    }

    fn authenticate(&self, bearer: &str) -> Result<Credential, TokenRefusal> {
        credential::authenticate(&self.inner.guard.policy(), bearer, self.inner.guard.calendar.now())
    }

    fn has_tokens(&self) -> bool {
        self.inner.guard.policy().has_tokens()
    }

    fn ready(&self) -> Result<(), String> {
        if self.inner.shutdown.is_cancelled() {
            return Err("shutting down".to_owned());
        }
        let servers = self.inner.servers();
        let awaited: Vec<&str> = servers
            .iter()
            .filter(|server| server.is_awaited())
            .map(|server| server.spec.id.as_str())
            .collect();
        // The first list waits no longer, either (DESIGN 5).
        let waits = u128::from(self.inner.uptime_ms()) < self.inner.settings().startup_wait.as_millis();
        if waits && !awaited.is_empty() {
            return Err(format!("starting: {}", awaited.join(", ")));
        }
        Ok(())
    }

    fn metrics(&self) -> String {
        let gauge = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let [clients, sessions, calls, parked, _] = self.census();
        let metrics = &self.inner.metrics;
        metrics.clients.set(gauge(clients));
        metrics.sessions.set(gauge(sessions));
        metrics.in_flight.set(gauge(calls));
        metrics.parked.set(gauge(parked));
        // A server that is no longer configured has no figures.
        metrics.forget_servers();
        let mut connections = 0;
        for server in self.inner.servers().iter() {
            let live = server.live_sessions();
            connections += live.len();
            let is_up = !live.is_empty() && server.usable() == Health::Started;
            let waiting = live.iter().map(|session| session.in_flight()).sum();
            metrics.server(server.spec.id.as_str(), is_up, gauge(waiting));
        }
        metrics.connections.set(gauge(connections));
        metrics
            .queued
            .set(gauge(self.inner.clients.all().iter().map(|client| client.queued()).sum()));
        metrics.text()
    }
}

/// Remembers what a server offered last, and starts it if it is to start with the gateway; tries again for as long as it fails.
fn bring_up(inner: &Arc<Inner>, server: &Arc<Server>) {
    permissions::configure(server);
    for (capabilities, bytes) in inner.cache.load(&server.spec.digest) {
        if let Some(offer) = catalog::Offer::from_cache(&bytes, server.spec.id.clone(), server.spec.prefix) {
            server.remember(capabilities, offer);
        }
    }
    if server.spec.launch.is_err() || server.spec.start == Start::OnUse {
        return;
    }
    let (weak, over) = (Arc::downgrade(server), inner.shutdown.clone());
    inner.spawn(async move {
        over.run_until_cancelled(server::tend(&weak, Server::base_line)).await;
    });
}

/// Ends what nobody uses: sessions, lines, parked calls.
fn sweep(inner: &Arc<Inner>) {
    let (weak, over) = (Arc::downgrade(inner), inner.shutdown.clone());
    inner.spawn(async move {
        let work = async {
            loop {
                tokio::time::sleep(SWEEP).await;
                let Some(inner) = weak.upgrade() else { return };
                inner.parked.expire(crate::now());
                let now = inner.uptime_ms();
                let idle = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
                for client in inner.clients.expired(now, idle(inner.settings().session_idle)) {
                    client.hang_up();
                }
                dismiss_unwelcome(&inner);
                for server in inner.servers().iter() {
                    server.sweep(now, idle(LINE_IDLE));
                }
            }
        };
        over.run_until_cancelled(work).await;
    });
}

/// How each server does, by what is known now.
pub(crate) fn statuses(inner: &Arc<Inner>) -> Vec<ServerStatus> {
    inner.servers().iter().map(status_of).collect()
}

/// Every tool of every server as it is judged, in the order of the configuration and by name.
pub(crate) fn judged(inner: &Arc<Inner>, security: Option<&Security>) -> Vec<JudgedTool> {
    let servers = inner.servers();
    let policy = inner.guard.policy();
    let of_server = |server: &Arc<Server>| {
        let id = server.spec.id.clone();
        let pins: HashMap<_, _> = policy.pins(&id).map(|(facts, pin)| (facts.name.clone(), pin)).collect();
        let judged = inner
            .guard
            .judged(security, &id, &server.offers(), server.claimed_trust())
            .into_values();
        let tools = judged.map(move |judged| JudgedTool {
            id: ToolId {
                server: id.clone(),
                name: judged.facts.name.clone(),
            },
            pin: pins.get(&judged.facts.name).cloned(),
            facts: judged.facts,
            assessment: judged.assessment,
            hidden: judged.hidden,
        });
        tools.collect::<Vec<_>>()
    };
    servers.iter().flat_map(of_server).collect()
}

fn status_of(server: &Arc<Server>) -> ServerStatus {
    let offer = server.offer(&server.inner().no_capabilities);
    let live = server.live_sessions();
    let pids = live.iter().filter_map(|session| match session.link.get() {
        Some(Link::Pipe(pipe)) => pipe.peer.pid(),
        _ => None,
    });
    ServerStatus {
        id: server.spec.id.clone(),
        health: server.health(),
        note: server.trouble(),
        revision: live
            .first()
            .map(|session| session.revision())
            .or(offer.as_ref().map(|offer| offer.revision)),
        info: offer.as_ref().map(|offer| offer.advertised.info.clone()),
        counts: offer
            .as_ref()
            .map_or([0; 4], |offer| ListKind::ALL.map(|kind| offer.list(kind).items.len())),
        pids: pids.collect(),
        latency: None,
    }
}

async fn look_at(server: Arc<Server>, ping: bool) -> ServerStatus {
    let session = server.base_line().session().await;
    let peer = server.inner().own_peer.clone();
    drop(tokio::time::timeout(LOOK_WAIT, server.until_known(&peer)).await);
    let mut status = status_of(&server);
    status.health = server.usable();
    if let (Ok(session), true) = (session, ping) {
        let method = if session.era() == Era::Modern { "server/discover" } else { "ping" };
        let mut request = mcp::exchange::Request::internal(method, None, session.inner.own_peer.clone());
        if let Some(known) = mcp::exchange::Method::of(
            method,
            if session.era() == Era::Modern {
                Revision::LATEST
            } else {
                session.revision()
            },
        ) {
            request.method = known;
        }
        let started = crate::now();
        if let Ok(Outcome::Result(_)) = fetch::ask_with(&session, request, &session.inner.admit_own(), LOOK_WAIT).await {
            status.latency = Some(started.elapsed());
        }
    }
    if let Health::Error(_) = status.health {
        status.latency = None;
    }
    status
}
