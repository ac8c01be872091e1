//! The permissions that servers want: operators are asked, and servers that negotiated it are told the decisions (MGP §3, MGP D2 to MGP D4).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use guard::Guard;
use mcp::exchange::Outcome;
use mgp::audit::{Actor, Draft, EventType, Outcome as Ended, Target};
use mgp::permission::{ApprovalPolicy, Connection, Input, Listed, Output, Permissions, Reply, Settings, TIMEOUT};
use model::{Permission, PermissionDecision, RequestId, ServerId, Timestamp, Trace};
use policy::PermissionPolicy;
use runtime::Runtime;
use store::{Change, Commit, PermissionRequest};
use upstream::Session;

use crate::views::Views;

/// The initial time of a server's machine; each input brings a later one.
const LONG_AGO: Timestamp = Timestamp(0);
/// The longest time between two readings of the calendar, which may jump.
const MOST_SLEEP: Duration = Duration::from_secs(60);

/// Asks operators for the permissions that servers want, and tells servers the decisions.
pub(crate) struct PermissionBroker {
    guard: Arc<Guard>,
    views: Weak<Views>,
    runtime: Arc<Runtime>,
    servers: Mutex<HashMap<ServerId, Standing>>,
}

/// One server's permissions, and the connections over which it is told the decisions.
struct Standing {
    machine: Permissions,
    connections: HashMap<Connection, Weak<Session>>,
    next: u64,
}

impl Standing {
    fn new(server: &ServerId) -> Self {
        Self {
            machine: Permissions::new(server.clone(), Settings::default(), LONG_AGO),
            connections: HashMap::new(),
            next: 1,
        }
    }
}

impl PermissionBroker {
    pub(crate) fn new(guard: &Arc<Guard>, views: &Arc<Views>, runtime: &Arc<Runtime>) -> Arc<Self> {
        Arc::new(Self {
            guard: guard.clone(),
            views: Arc::downgrade(views),
            runtime: runtime.clone(),
            servers: Mutex::default(),
        })
    }

    fn servers(&self) -> MutexGuard<'_, HashMap<ServerId, Standing>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, server: &ServerId, act: impl FnOnce(&mut Standing) -> T) -> T {
        let mut servers = self.servers();
        act(servers.entry(server.clone()).or_insert_with(|| Standing::new(server)))
    }

    /// Drafts the events of decisions that are about to be stored.
    pub(crate) fn events(&self, server: &ServerId, decisions: &[PermissionDecision]) -> Vec<Draft> {
        let now = self.guard.calendar().now();
        self.with(server, |standing| standing.machine.events(decisions, now))
    }

    /// Lists the permissions that a server and its tools want, with their states.
    pub(crate) fn list(&self, server: &ServerId) -> Vec<Listed> {
        let now = self.guard.calendar().now();
        self.with(server, |standing| standing.machine.list(now))
    }

    /// Removes the servers that are not configured any more, or whose configuration has changed.
    pub(crate) fn forget(&self, gone: &[ServerId]) {
        self.servers().retain(|server, _| !gone.contains(server));
    }

    /// Gives an input to a server's machine, and carries out its outputs.
    pub(crate) fn tell(self: &Arc<Self>, server: ServerId, input: Input) {
        let now = self.guard.calendar().now();
        let outputs: Vec<Output> = self.with(&server, |standing| {
            standing.machine.handle(now, input);
            std::iter::from_fn(|| standing.machine.poll()).collect()
        });
        for output in outputs {
            self.act(&server, output);
        }
    }

    /// Applies the configuration, the earlier decisions, and the permissions that the server wants as a whole. They can be granted before the server
    /// has started.
    pub(crate) fn configure(self: &Arc<Self>, server: &ServerId, wants: Vec<Permission>) {
        let Some(settings) = self.guard.with_security(|security| {
            let table = security.tables.server(server);
            Settings {
                policy: approval_policy(table.permissions.unwrap_or(security.tables.permissions)),
                configured: table.approved.iter().cloned().collect(),
                strict: table.strict,
            }
        }) else {
            return;
        };
        self.guard.wants(server, wants.clone());
        let policy = self.guard.policy();
        let decided = policy.permissions(server).map(|decision| (**decision).clone()).collect();
        drop(policy);
        self.tell(server.clone(), Input::Known(decided));
        self.tell(server.clone(), Input::Configured(settings));
        self.tell(server.clone(), Input::Wants(wants.into_iter().collect()));
    }

    /// Notes a connection that is ready; `speaks` if it negotiated that it is told of permissions.
    pub(crate) fn connected(self: &Arc<Self>, session: &Arc<Session>, wants: Vec<Permission>, speaks: bool) {
        let server = session.server().clone();
        let connection = self.with(&server, |standing| {
            standing.connections.retain(|_, known| known.strong_count() > 0);
            let connection = Connection(standing.next);
            standing.next += 1;
            standing.connections.insert(connection, Arc::downgrade(session));
            connection
        });
        self.record(&server, EventType::ServerConnected);
        self.tell(server.clone(), Input::Wants(wants.into_iter().collect()));
        self.tell(server.clone(), Input::Connected { connection, speaks });
        let (broker, over) = (Arc::downgrade(self), session.over().clone());
        self.runtime.spawn(async move {
            over.cancelled().await;
            if let Some(broker) = broker.upgrade() {
                broker.record(&server, EventType::ServerDisconnected);
                broker.tell(server, Input::Gone(connection));
            }
        });
    }

    /// Records that a connection began or ended.
    fn record(&self, server: &ServerId, kind: EventType) {
        let draft = Draft::new(kind, Actor::server(server), Target::server(server), Ended::Success);
        if !self.guard.record().after_now(draft, &Trace::default()) {
            tracing::warn!(%server, "there was no room to record a connection");
        }
    }

    fn session(&self, server: &ServerId, connection: Connection) -> Option<Arc<Session>> {
        let servers = self.servers();
        servers.get(server)?.connections.get(&connection)?.upgrade()
    }

    fn act(self: &Arc<Self>, server: &ServerId, output: Output) {
        match output {
            Output::Send {
                connection,
                ticket,
                method,
                params,
            } => {
                let Some(session) = self.session(server, connection) else { return };
                let (broker, server) = (Arc::downgrade(self), server.clone());
                self.runtime.spawn(async move {
                    let reply = send(&session, method, params).await;
                    if let Some(broker) = broker.upgrade() {
                        broker.tell(server, Input::Answered(ticket, reply));
                    }
                });
            }
            Output::Ask(permissions) => {
                let (broker, server) = (self.clone(), server.clone());
                self.runtime.spawn(async move { broker.ask(server, permissions).await });
            }
            Output::Changed => {
                if let Some(views) = self.views.upgrade() {
                    views.changed();
                }
            }
            Output::Event(draft) => {
                if !self.guard.record().after_now(draft, &Trace::default()) {
                    tracing::error!(%server, "there was no room to record an event of a permission");
                }
            }
            Output::Wake(at) => self.wake(server, at),
            Output::Disconnect(connection) => {
                if let Some(session) = self.session(server, connection) {
                    session.end("it gets nothing of what it wants, and is configured to be strict");
                }
            }
        }
    }

    /// Adds permissions to the operators' queue, under one id.
    async fn ask(self: Arc<Self>, server: ServerId, permissions: Vec<Permission>) {
        let request = RequestId::new(&runtime::token());
        let asked = |permission: &Permission| {
            Change::AskPermission(PermissionRequest {
                request: request.clone(),
                server: server.clone(),
                permission: permission.clone(),
                asked: self.guard.calendar().now(),
                expires: None,
            })
        };
        let commit = Commit::new(permissions.iter().map(asked).collect(), Vec::new());
        let (id, asked, under) = (server.clone(), permissions.clone(), request.clone());
        let stored = self.guard.change(commit, move |edit| {
            for permission in asked {
                edit.ask_permission(&id, permission, under.clone());
            }
        });
        match stored.await {
            Ok(()) => {
                self.guard.tell_decision();
                self.tell(server, Input::Asked { request, permissions });
            }
            Err(error) => tracing::error!(%server, %error, "no operator could be asked for its permissions"),
        }
    }

    fn wake(self: &Arc<Self>, server: &ServerId, at: Timestamp) {
        let left = at.0.saturating_sub(self.guard.calendar().now().0);
        let wait = Duration::from_millis(u64::try_from(left).unwrap_or(0)).min(MOST_SLEEP);
        let (broker, server) = (Arc::downgrade(self), server.clone());
        self.runtime.spawn_until_shutdown(async move {
            tokio::time::sleep(wait).await;
            if let Some(broker) = broker.upgrade() {
                broker.tell(server, Input::Tick);
            }
        });
    }
}

async fn send(session: &Arc<Session>, method: &str, params: jsonrpc::Raw) -> Reply {
    match upstream::ask(session, method, Some(params), TIMEOUT).await {
        Ok(Outcome::Error(failed)) => Reply::Error(failed.error),
        Ok(Outcome::Result(_) | Outcome::InputRequired(_)) => Reply::Done,
        Err(_) => Reply::TimedOut,
    }
}

fn approval_policy(policy: PermissionPolicy) -> ApprovalPolicy {
    match policy {
        PermissionPolicy::Interactive => ApprovalPolicy::Interactive,
        PermissionPolicy::AutoApprove => ApprovalPolicy::AutoApprove,
        PermissionPolicy::DenyAll => ApprovalPolicy::DenyAll,
        PermissionPolicy::ConfigOnly => ApprovalPolicy::ConfigOnly,
    }
}
