//! What servers want to be permitted: people are asked, and servers that want to know are told (MGP §3, D2 to D4).

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use mcp::exchange::{Outcome, Request};
use mgp::audit::{Actor, Draft, EventType, Outcome as Ended, Target};
use mgp::permission::{ApprovalPolicy, Connection, Input, Listed, Output, Permissions, Reply, Settings, TIMEOUT};
use model::{Permission, PermissionDecision, RequestId, ServerId, Timestamp, Trace};
use policy::PermissionPolicy;
use store::{Change, Commit, PermissionRequest};

use super::Guard;
use super::decide::decided;
use crate::upstream::{Server, Session, fetch};

/// What time it is for a server of which nothing is known yet: with each input it learns a later one.
const LONG_AGO: Timestamp = Timestamp(0);
/// How long nobody looks at the calendar, which may jump.
const MOST_SLEEP: Duration = Duration::from_secs(60);

/// One server's permissions, and the connections over which it is told of them.
pub(crate) struct Desk {
    books: Mutex<Books>,
}

struct Books {
    machine: Permissions,
    connections: HashMap<Connection, Weak<Session>>,
    next: u64,
}

impl Desk {
    pub(crate) fn new(server: &ServerId) -> Self {
        Self {
            books: Mutex::new(Books {
                machine: Permissions::new(server.clone(), Settings::default(), LONG_AGO),
                connections: HashMap::new(),
                next: 1,
            }),
        }
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The events of decisions that are about to be stored.
    pub(crate) fn events(&self, now: Timestamp, decisions: &[PermissionDecision]) -> Vec<Draft> {
        self.books().machine.events(decisions, now)
    }

    /// What the server and its tools want, and how it stands.
    pub(crate) fn list(&self, now: Timestamp) -> Vec<Listed> {
        self.books().machine.list(now)
    }

    /// Notes a connection whose start-up is complete.
    fn connect(&self, session: &Arc<Session>) -> Connection {
        let mut books = self.books();
        books.connections.retain(|_, known| known.strong_count() > 0);
        let connection = Connection(books.next);
        books.next += 1;
        books.connections.insert(connection, Arc::downgrade(session));
        connection
    }

    fn session(&self, connection: Connection) -> Option<Arc<Session>> {
        self.books().connections.get(&connection).and_then(Weak::upgrade)
    }

    fn handle(&self, now: Timestamp, input: Input) -> Vec<Output> {
        let mut books = self.books();
        books.machine.handle(now, input);
        std::iter::from_fn(|| books.machine.poll()).collect()
    }
}

/// Tells the machine of a server something, and does what it wants done.
pub(crate) fn tell(server: &Arc<Server>, input: Input) {
    let now = server.inner().guard.calendar.now();
    for output in server.desk.handle(now, input) {
        act(server, output);
    }
}

/// Takes in what is configured, what was decided before, and what the server wants as a whole.
pub(crate) fn configure(server: &Arc<Server>) {
    let inner = server.inner();
    let (guard, id) = (&inner.guard, &server.spec.id);
    let Some(settings) = guard.with_security(|security| {
        let table = security.tables.server(id);
        Settings {
            policy: approval_policy(table.permissions.unwrap_or(security.tables.permissions)),
            configured: table.approved.iter().cloned().collect(),
            strict: table.strict,
        }
    }) else {
        return;
    };
    // Known from the start: it can be granted before it has come up.
    guard.wants(id, server.wants());
    let decided = guard.policy().permissions(id).map(|decision| (**decision).clone()).collect();
    tell(server, Input::Known(decided));
    tell(server, Input::Configured(settings));
    tell(server, Input::Wants(server.wants().into_iter().collect()));
}

/// What the tools of a server want.
pub(crate) fn tools_want(server: &Arc<Server>, wanted: BTreeSet<Permission>) {
    tell(server, Input::ToolsWant(wanted));
}

/// A connection is ready; `speaks`, where it negotiated that it is told of permissions.
pub(crate) fn connected(server: &Arc<Server>, session: &Arc<Session>, speaks: bool) {
    let connection = server.desk.connect(session);
    record(server, EventType::ServerConnected);
    tell(server, Input::Wants(server.wants().into_iter().collect()));
    tell(server, Input::Connected { connection, speaks });
    let (weak, over) = (Arc::downgrade(server), session.over().clone());
    session.inner.spawn(async move {
        over.cancelled().await;
        if let Some(server) = weak.upgrade() {
            record(&server, EventType::ServerDisconnected);
            tell(&server, Input::Gone(connection));
        }
    });
}

/// Tells the audit that a connection began or ended.
fn record(server: &Arc<Server>, kind: EventType) {
    let id = &server.spec.id;
    let draft = Draft::new(kind, Actor::server(id), Target::server(id), Ended::Success);
    if !server.inner().guard.after_now(draft, &Trace::default()) {
        tracing::warn!(server = %id, "there was no room to record a connection");
    }
}

fn act(server: &Arc<Server>, output: Output) {
    let inner = server.inner();
    match output {
        Output::Send {
            connection,
            ticket,
            method,
            params,
        } => {
            let Some(session) = server.desk.session(connection) else { return };
            let weak = Arc::downgrade(server);
            inner.spawn(async move {
                let reply = send(&session, method, params).await;
                if let Some(server) = weak.upgrade() {
                    tell(&server, Input::Answered(ticket, reply));
                }
            });
        }
        Output::Ask(permissions) => {
            let weak = Arc::downgrade(server);
            inner.spawn(async move {
                if let Some(server) = weak.upgrade() {
                    ask(&server, permissions).await;
                }
            });
        }
        Output::Changed => inner.views.outdated(),
        Output::Event(draft) => {
            if !inner.guard.after_now(draft, &Trace::default()) {
                tracing::error!(server = %server.spec.id, "there was no room to record an event of a permission");
            }
        }
        Output::Wake(at) => wake(server, at),
        Output::Disconnect(connection) => {
            if let Some(session) = server.desk.session(connection) {
                session.end("it gets nothing of what it wants, and is configured to be strict");
            }
        }
    }
}

async fn send(session: &Arc<Session>, method: &str, params: jsonrpc::Raw) -> Reply {
    let request = Request::internal(method, Some(params), session.inner.own_peer.clone());
    let permit = session.inner.admit_own();
    match fetch::ask_with(session, request, &permit, TIMEOUT).await {
        Ok(Outcome::Error(failed)) => Reply::Error(failed.error),
        Ok(Outcome::Result(_) | Outcome::InputRequired(_)) => Reply::Done,
        Err(_) => Reply::TimedOut,
    }
}

/// Puts permissions into the operators' queue, under one id.
async fn ask(server: &Arc<Server>, permissions: Vec<Permission>) {
    let inner = server.inner();
    let request = RequestId::new(&inner.new_token());
    let asked = |permission: &Permission| {
        Change::AskPermission(PermissionRequest {
            request: request.clone(),
            server: server.spec.id.clone(),
            permission: permission.clone(),
            asked: inner.guard.calendar.now(),
            expires: None,
        })
    };
    let commit = Commit::new(permissions.iter().map(asked).collect(), Vec::new());
    let (id, asked, under) = (server.spec.id.clone(), permissions.clone(), request.clone());
    let stored = decided(&inner, commit, move |edit| {
        for permission in asked {
            edit.ask_permission(&id, permission, under.clone());
        }
    });
    match stored.await {
        Ok(()) => {
            inner.guard.tell_decision();
            tell(server, Input::Asked { request, permissions });
        }
        Err(error) => tracing::error!(server = %server.spec.id, %error, "nobody could be asked for its permissions"),
    }
}

fn wake(server: &Arc<Server>, at: Timestamp) {
    let (weak, inner) = (Arc::downgrade(server), server.inner());
    let wait = Duration::from_millis(u64::try_from(at.0.saturating_sub(inner.guard.calendar.now().0)).unwrap_or(0));
    let over = inner.shutdown.clone();
    inner.spawn(async move {
        let slept = over.run_until_cancelled(tokio::time::sleep(wait.min(MOST_SLEEP))).await;
        if let (Some(()), Some(server)) = (slept, weak.upgrade()) {
            tell(&server, Input::Tick);
        }
    });
}

fn approval_policy(policy: PermissionPolicy) -> ApprovalPolicy {
    match policy {
        PermissionPolicy::Interactive => ApprovalPolicy::Interactive,
        PermissionPolicy::AutoApprove => ApprovalPolicy::AutoApprove,
        PermissionPolicy::DenyAll => ApprovalPolicy::DenyAll,
        PermissionPolicy::ConfigOnly => ApprovalPolicy::ConfigOnly,
    }
}

impl Guard {
    /// The permissions that a server wants for itself, by configuration.
    pub(crate) fn wanted(&self, server: &ServerId) -> Vec<Permission> {
        let wanted = self.with_security(|security| security.servers.get(server).map(|server| server.permissions.clone()));
        wanted.flatten().unwrap_or_default()
    }
}
