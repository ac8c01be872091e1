//! The public handle of the kernel: starts, reloads, inspects and ends a gateway.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use arc_swap::ArcSwap;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use guard::{Guard, Security, Subject};
use mcp::exchange::Outcome;
use mcp::revision::Era;
use model::{Principal, ServerId, ToolId};
use runtime::{BoxFuture, Gauges, Runtime};
use tokio::sync::mpsc;
use upstream::{Config, Context, Health, Identity, Server, Upstream};

use crate::calls::{Calls, Dismissals, ParkedCalls, Questions, Returned, Seal, TaskRoutes};
use crate::dependencies::Dependencies;
use crate::faces::{self, Client, Clients, Delivery, Faces, LAST_ANSWERS, Pipe};
use crate::front::{Answer, ClientPipe, Credential, Front, InPost, Listen, TokenRefusal};
use crate::mgp_offer::mgp_offer;
use crate::operator::{JudgedTool, Operations, OperatorError, OperatorRoom, OperatorTools};
use crate::servers::{Events, Links, PermissionBroker};
use crate::settings::Settings;
use crate::status::{ServerStatus, ToolStatus};
use crate::views::{LastView, Views, own_tools};

/// The interval at which idle sessions, lines and parked calls are ended.
const SWEEP: Duration = Duration::from_secs(5);
/// The time that a line is kept if no client uses it.
const LINE_IDLE: Duration = Duration::from_secs(60);
/// The time that inspecting one server may take.
const LOOK_WAIT: Duration = Duration::from_secs(5);

/// A running gateway. Clones are handles of the same one.
#[derive(Clone, Debug)]
pub struct Kernel {
    rooms: Arc<Rooms>,
}

/// The modules' states of one gateway. Only this file knows them all: it starts, reconfigures and ends them.
#[derive(Debug)]
struct Rooms {
    runtime: Arc<Runtime>,
    settings: Arc<ArcSwap<Settings>>,
    guard: Arc<Guard>,
    upstream: Arc<Upstream>,
    views: Arc<Views>,
    calls: Arc<Calls>,
    faces: Arc<Faces>,
    operator: Arc<OperatorRoom>,
}

impl Rooms {
    fn new(settings: Settings, outside: Dependencies) -> Arc<Self> {
        let runtime = Runtime::new();
        let (records, resolver, clock) = (outside.records, outside.resolver, outside.clock);
        let guard = Guard::new(settings.security.as_ref(), records, own_tools(), resolver, clock, runtime.clone());
        let events: Arc<Events> = Arc::default();
        let identity = Arc::new(Identity::new(settings.version));
        let context = Context::new(
            runtime.clone(),
            (outside.connector, outside.cache),
            identity,
            guard.admit_own(),
            config_of(&settings),
            events.clone(),
        );
        let upstream = Upstream::new(context, &settings.servers);
        let settings = Arc::new(ArcSwap::from_pointee(settings));
        let views = Views::new(&guard, &upstream, &runtime, &settings);
        let broker = PermissionBroker::new(&guard, &views, &runtime);
        let tasks: Arc<TaskRoutes> = Arc::default();
        let parked: Arc<ParkedCalls> = Arc::default();
        let dismissals = Dismissals::new(&guard, &parked);
        let clients = Clients::new(&runtime, &tasks, &dismissals);
        let operator = Arc::new(OperatorRoom {
            guard: guard.clone(),
            upstream: upstream.clone(),
            clients: clients.clone(),
            broker: broker.clone(),
            runtime: runtime.clone(),
            settings: settings.clone(),
        });
        let calls = Arc::new(Calls {
            guard: guard.clone(),
            upstream: upstream.clone(),
            views: views.clone(),
            runtime: runtime.clone(),
            settings: settings.clone(),
            questions: Questions::new(guard.clone()),
            dismissals,
            tasks,
            own_tools: Arc::new(OperatorTools(operator.clone())),
            news: clients.clone(),
            parked,
            returned: Returned::default(),
            seal: Seal::new(&runtime),
            numbers: AtomicU64::new(0),
        });
        events.link(Links {
            guard: guard.clone(),
            runtime: runtime.clone(),
            settings: settings.clone(),
            upstream: Arc::downgrade(&upstream),
            views: Arc::downgrade(&views),
            broker,
            clients: Arc::downgrade(&clients),
            questions: Arc::downgrade(&calls.questions),
            calls: Arc::downgrade(&calls),
        });
        let faces = Arc::new(Faces {
            calls: calls.clone(),
            clients,
            runtime: runtime.clone(),
            settings: settings.clone(),
        });
        Arc::new(Self {
            runtime,
            settings,
            guard,
            upstream,
            views,
            calls,
            faces,
            operator,
        })
    }

    /// Makes a server known to the guard, and starts it if it is to start with the gateway.
    fn bring_up(&self, server: &Arc<Server>) {
        self.operator.configure_permissions(server);
        self.upstream.bring_up(server);
    }

    /// Ends unused sessions, lines and parked calls.
    fn sweep(self: &Arc<Self>) {
        let weak = Arc::downgrade(self);
        self.runtime.spawn_until_shutdown(async move {
            loop {
                tokio::time::sleep(SWEEP).await;
                let Some(rooms) = weak.upgrade() else { return };
                rooms.calls.parked.expire(runtime::now());
                let clients = &rooms.faces.clients;
                clients.end_idle(rooms.settings.load().session_idle);
                clients.dismiss_unwelcome();
                let (now, idle) = (rooms.runtime.uptime_ms(), LINE_IDLE.as_secs() * 1000);
                for server in rooms.upstream.servers().iter() {
                    server.sweep(now, idle, |line| rooms.calls.tasks.holds(line));
                }
            }
        });
    }
}

fn config_of(settings: &Settings) -> Config {
    Config {
        limits: settings.limits,
        debounce: settings.debounce,
        mgp: mgp_offer(settings.security.is_some()),
    }
}

impl Kernel {
    /// Starts a gateway: loads its servers' cached offers, and starts the servers that are to start with it. Must be called within a Tokio runtime.
    #[must_use]
    pub fn start(settings: Settings, outside: Dependencies) -> Self {
        let rooms = Rooms::new(settings, outside);
        rooms.guard.watch_alerts();
        for server in rooms.upstream.servers().iter() {
            rooms.bring_up(server);
        }
        rooms.sweep();
        Self { rooms }
    }

    /// Swaps the configuration: servers that did not change keep running, others end, new ones start. Clients keep their sessions.
    pub fn reload(&self, settings: Settings) {
        let rooms = &self.rooms;
        let guarded_anew = rooms.guard.configure(settings.security.as_ref());
        let changed = rooms.upstream.configure(config_of(&settings), &settings.servers);
        rooms.settings.store(Arc::new(settings));
        let gone: Vec<ServerId> = changed.gone.iter().map(|server| server.spec().id.clone()).collect();
        rooms.operator.broker.forget(&gone);
        if guarded_anew {
            for server in rooms.upstream.servers().iter() {
                rooms.operator.configure_permissions(server);
                rooms.operator.learn(server);
            }
        }
        rooms.views.configured();
        for client in rooms.faces.clients.all() {
            client.caller.drop_lines(&gone);
        }
        for server in &changed.gone {
            server.hang_up("the server was removed from the configuration, or changed");
        }
        for server in &changed.fresh {
            rooms.bring_up(server);
        }
        if guarded_anew || !changed.gone.is_empty() || !changed.fresh.is_empty() {
            rooms.operator.all_lists_changed();
        }
    }

    /// Puts another policy in force. What the old one admitted and is not sent yet is refused (DESIGN 9).
    pub fn set_policy(&self, policy: policy::Policy) {
        self.rooms.guard.put(policy);
        self.rooms.views.changed();
    }

    /// Judges each tool of each server with a configuration, in the order of the servers and by name, so that an operator can examine it before any
    /// client is served.
    #[must_use]
    pub fn judged(&self, security: &Security) -> Vec<JudgedTool> {
        self.rooms.operator.judged(Some(security))
    }

    /// Returns the operations for a principal that was authenticated with that token.
    ///
    /// # Errors
    /// When the principal is no operator.
    pub fn operations(&self, operator: Principal, credential: Option<&str>) -> Result<Operations, OperatorError> {
        let subject = Subject {
            token: credential.map(Arc::from),
            ..Subject::new(operator)
        };
        Operations::open(&self.rooms.operator, &subject)
    }

    /// Returns the calls of the gateway, for callers that are not MCP clients: they create a [`Caller`] with their [`Port`], and make its calls.
    #[must_use]
    pub fn calls(&self) -> &Arc<Calls> {
        &self.rooms.calls
    }

    /// Ends everything: streams in an orderly way, then servers, so that each caller that waits for one is told, then sessions.
    pub async fn shutdown(&self, deadline: Duration) {
        let rooms = &self.rooms;
        rooms.runtime.shutdown().cancel();
        rooms.calls.parked.clear();
        let mut closing = Vec::new();
        for server in rooms.upstream.servers().iter() {
            closing.extend(server.live_sessions().iter().filter_map(|session| session.close()));
            server.hang_up("the gateway is shutting down");
        }
        let closed = futures_util::future::join_all(closing);
        drop(tokio::time::timeout(deadline.min(LAST_ANSWERS), rooms.faces.clients.answer_all()).await);
        rooms.faces.clients.end_sessions();
        drop(tokio::time::timeout(deadline, closed).await);
        rooms.runtime.tasks().close();
        drop(tokio::time::timeout(deadline, rooms.runtime.tasks().wait()).await);
    }

    /// Waits until every server is known or has failed. Returns the status of each, in the order of the configuration. `seen` is called with each
    /// status as soon as it is known.
    pub async fn look(&self, ping: bool, mut seen: impl FnMut(&ServerStatus)) -> Vec<ServerStatus> {
        let servers = self.rooms.upstream.servers();
        let identity = self.rooms.upstream.identity();
        let looks = servers.iter().cloned().enumerate();
        let mut looks: FuturesUnordered<_> = looks
            .map(async |(at, server)| (at, look_at(server, identity, ping).await))
            .collect();
        let mut all = Vec::new();
        while let Some((at, status)) = looks.next().await {
            seen(&status);
            all.push((at, status));
        }
        all.sort_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, status)| status).collect()
    }

    /// Returns the present status of each server.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        self.rooms.operator.statuses()
    }

    /// Lists the tools as the local operator without capabilities sees them.
    #[must_use]
    pub fn tools(&self) -> Vec<ToolStatus> {
        let (local, last) = (Subject::new(Principal::local()), LastView::default());
        let view = self.rooms.views.view(&local, &last, &self.rooms.upstream.identity().peer);
        let definition = |id: &ToolId| {
            let offer = view.offers().iter().find(|offer| offer.server == id.server)?;
            let mut items = offer.tools.items.iter();
            items.find(|item| item.key == *id.name).map(|item| item.raw.clone())
        };
        let status = |(wire, id): (&str, ToolId)| {
            Some(ToolStatus {
                wire: wire.to_owned(),
                definition: definition(&id)?,
                id,
            })
        };
        view.wire_names().filter_map(status).collect()
    }

    /// Counts for tests of leaks: clients, HTTP sessions, unanswered calls, parked calls, running tasks.
    #[must_use]
    pub fn census(&self) -> [usize; 5] {
        let rooms = &self.rooms;
        let servers = rooms.upstream.servers();
        let sessions = servers.iter().flat_map(|server| server.live_sessions());
        [
            rooms.faces.clients.count(),
            rooms.faces.clients.sessions(),
            sessions.map(|session| session.in_flight()).sum(),
            rooms.calls.parked.len(),
            rooms.runtime.tasks().len(),
        ]
    }
}

impl Front for Kernel {
    fn post(&self, post: InPost) -> BoxFuture<'_, Answer> {
        Box::pin(faces::post(&self.rooms.faces, post))
    }

    fn listen(&self, listen: Listen) -> BoxFuture<'_, Answer> {
        Box::pin(std::future::ready(faces::listen(&self.rooms.faces, &listen)))
    }

    fn delete(&self, who: &Credential, session: &str) -> BoxFuture<'_, Answer> {
        Box::pin(std::future::ready(faces::delete(&self.rooms.faces, who, session)))
    }

    fn open(&self, who: Credential, outgoing: mpsc::Sender<Bytes>) -> Arc<dyn ClientPipe> {
        let faces = &self.rooms.faces;
        let client = Client::new(&faces.calls, faces.calls.next_number(), who, Delivery::Pipe(outgoing));
        Arc::new(Pipe::new(faces.clone(), client))
    }

    fn authenticate(&self, bearer: &str) -> Result<Credential, TokenRefusal> {
        let guard = &self.rooms.guard;
        faces::authenticate(&guard.policy(), bearer, guard.calendar().now())
    }

    fn has_tokens(&self) -> bool {
        self.rooms.guard.policy().has_tokens()
    }

    fn ready(&self) -> Result<(), String> {
        let rooms = &self.rooms;
        if rooms.runtime.shutdown().is_cancelled() {
            return Err("shutting down".to_owned());
        }
        let servers = rooms.upstream.servers();
        let awaited = servers.iter().filter(|server| server.state.is_awaited());
        let awaited: Vec<&str> = awaited.map(|server| server.spec().id.as_str()).collect();
        // The first list does not wait longer, either (DESIGN 5).
        let waits = u128::from(rooms.runtime.uptime_ms()) < rooms.settings.load().startup_wait.as_millis();
        match waits && !awaited.is_empty() {
            true => Err(format!("starting: {}", awaited.join(", "))),
            false => Ok(()),
        }
    }

    fn metrics(&self) -> String {
        let rooms = &self.rooms;
        let metrics = rooms.runtime.metrics();
        metrics.forget_servers();
        let mut connections = 0;
        for server in rooms.upstream.servers().iter() {
            let live = server.live_sessions();
            connections += live.len();
            let is_up = !live.is_empty() && server.state.usable() == Health::Started;
            let waiting: usize = live.iter().map(|session| session.in_flight()).sum();
            metrics.server(server.spec().id.as_str(), is_up, i64::try_from(waiting).unwrap_or(i64::MAX));
        }
        let [clients, sessions, in_flight, parked, _] = self.census();
        metrics.gauges(&Gauges {
            clients,
            sessions,
            in_flight,
            parked,
            connections,
            queued: rooms.faces.clients.all().iter().map(|client| client.queued()).sum(),
        });
        metrics.text()
    }
}

async fn look_at(server: Arc<Server>, identity: &Identity, ping: bool) -> ServerStatus {
    let session = server.base_line().session().await;
    drop(tokio::time::timeout(LOOK_WAIT, server.until_known(&identity.peer)).await);
    let mut status = ServerStatus::of(&server);
    status.health = server.state.usable();
    if let (Ok(session), true, false) = (session, ping, matches!(status.health, Health::Error(_))) {
        let method = if session.era() == Era::Modern { "server/discover" } else { "ping" };
        let started = runtime::now();
        if let Ok(Outcome::Result(_)) = upstream::ask(&session, method, None, LOOK_WAIT).await {
            status.latency = Some(started.elapsed());
        }
    }
    status
}
