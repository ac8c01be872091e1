//! Tasks: who runs them, and the bridge between the core of 2025-11-25 and the extension of the modern era.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use jsonrpc::{ErrorObject, Id, Message, Raw};
use mcp::adapt::{self, InputRequest, InputRequired};
use mcp::exchange::{Answered, Method, Outcome, Peer, Request};
use mcp::revision::{Era, Revision};
use mcp::tasks::{self as shape, Payload, Status};
use model::{PrincipalId, ServerId, Ticket, Trace};
use policy::Action;

use crate::client::Client;
use crate::exchange::{self, Way};
use crate::gate::Permit;
use crate::upstream::{Call, CallEvent, Hears, LanePermit, Line, Server, Session, fetch};

/// Tasks whose servers are remembered.
const MAX_TASKS: usize = 10_000;
/// Pages of one server's list of tasks.
const MAX_PAGES: usize = 100;
/// How long a task is kept where nobody asks about it, if its server does not say less.
const KEEP: Duration = Duration::from_secs(60 * 60);
/// How long one exchange about a task may take.
const WAIT: Duration = Duration::from_secs(30);
/// How often a modern server is asked about a task that a legacy client waits for, unless it says so itself.
const POLL: Duration = Duration::from_millis(500);

/// Where each task runs.
#[derive(Default)]
pub(crate) struct TaskRoutes {
    state: Mutex<Routes>,
}

#[derive(Default)]
struct Routes {
    /// Ids are their servers': two of those may give one principal the same.
    by_task: HashMap<Key, Vec<Arc<Route>>>,
    /// Oldest first, a key as often as it has routes.
    order: VecDeque<Key>,
}

type Key = (PrincipalId, String);

/// One task's server, and what has come of it where the gateway watches it.
struct Route {
    server: ServerId,
    /// Where it runs: a server on a pipe is a process for each line, which knows no other's tasks.
    line: Mutex<Weak<Line>>,
    /// For how long its line stays for its sake.
    kept: Mutex<Kept>,
    watched: Mutex<Watched>,
}

struct Kept {
    ttl: Duration,
    until: Instant,
}

/// What a task's id leads to.
enum Found {
    None,
    One(Arc<Route>),
    /// On several lines.
    Many,
}

/// A task that an answer has created.
struct Created {
    task: String,
    route: Arc<Route>,
    line: Arc<Line>,
}

/// What a legacy server has asked and answered in the course of a task that a modern client polls.
#[derive(Default)]
struct Watched {
    questions: Vec<Question>,
    asked: u64,
    outcome: Option<Outcome>,
}

struct Question {
    key: String,
    session: Arc<Session>,
    ask: Ticket,
    message: Message,
}

impl TaskRoutes {
    fn state(&self) -> MutexGuard<'_, Routes> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a task that was just created on a line, to be kept for that long.
    fn created(&self, principal: &PrincipalId, task: &str, line: &Arc<Line>, ttl: Duration) -> Arc<Route> {
        let key = (principal.clone(), task.to_owned());
        let route = Arc::new(Route {
            server: line.server.spec.id.clone(),
            line: Mutex::new(Arc::downgrade(line)),
            kept: Mutex::new(Kept {
                ttl,
                until: crate::now() + ttl,
            }),
            watched: Mutex::default(),
        });
        let mut state = self.state();
        let state = &mut *state;
        let routes = state.by_task.entry(key.clone()).or_default();
        let before = routes.iter().position(|known| known.is_on(line) || known.line().is_none());
        match before {
            Some(before) => routes[before] = route.clone(),
            None => {
                routes.push(route.clone());
                state.order.push_back(key);
            }
        }
        if state.order.len() > MAX_TASKS {
            state.forget_oldest();
        }
        route
    }

    /// Notes a task that a server lists on a line, unless it is known already.
    fn listed(&self, principal: &PrincipalId, task: &str, line: &Arc<Line>, ttl: Duration) {
        let known = self.all(principal, task);
        let mut theirs = known.iter().filter(|known| known.server == line.server.spec.id);
        if theirs.clone().any(|known| known.line().is_some()) {
            return;
        }
        match theirs.next() {
            Some(known) => known.moves_to(line),
            None => drop(self.created(principal, task, line, ttl)),
        }
    }

    fn all(&self, principal: &PrincipalId, task: &str) -> Vec<Arc<Route>> {
        let key = (principal.clone(), task.to_owned());
        self.state().by_task.get(&key).cloned().unwrap_or_default()
    }

    /// The task of a client by that id; of several, the one that runs on a line of its own.
    fn of(&self, client: &Client, task: &str) -> Found {
        let mut all = self.all(&client.principal.id, task);
        if all.len() > 1 {
            let own = |route: &Arc<Route>| client.line(&route.server).is_some_and(|line| route.is_on(&line));
            all.retain(own);
            return all.pop().filter(|_| all.is_empty()).map_or(Found::Many, Found::One);
        }
        all.pop().map_or(Found::None, Found::One)
    }

    /// Whether the task is known, as somebody else's.
    fn is_of_another(&self, principal: &PrincipalId, task: &str) -> bool {
        self.state().by_task.keys().any(|(owner, id)| id == task && owner != principal)
    }

    /// The task of that name that runs on a line.
    fn at(&self, line: &Arc<Line>, task: &str) -> Option<Arc<Route>> {
        let state = self.state();
        let named = state.by_task.iter().filter(|((_, id), _)| id == task);
        let found = named.flat_map(|(_, routes)| routes).find(|route| route.is_on(line));
        found.cloned()
    }

    /// The tasks that run on a line.
    pub(crate) fn on_line(&self, line: &Arc<Line>) -> Vec<String> {
        let state = self.state();
        let theirs = state
            .by_task
            .iter()
            .filter(|(_, routes)| routes.iter().any(|route| route.is_on(line)));
        theirs.map(|((_, task), _)| task.clone()).collect()
    }

    /// Whether a task runs on a line that may still be asked about.
    pub(crate) fn holds(&self, line: &Arc<Line>) -> bool {
        let (state, now) = (self.state(), crate::now());
        let mut routes = state.by_task.values().flatten();
        routes.any(|route| route.is_on(line) && route.kept().until > now)
    }
}

impl Routes {
    fn forget_oldest(&mut self) {
        let Some(oldest) = self.order.pop_front() else { return };
        if let Some(routes) = self.by_task.get_mut(&oldest) {
            routes.remove(0);
            if routes.is_empty() {
                self.by_task.remove(&oldest);
            }
        }
    }
}

/// Whether a client may listen to a task.
pub(crate) fn is_known(client: &Client, task: &str) -> bool {
    matches!(client.inner.tasks.of(client, task), Found::One(_))
}

/// For how long a task is to be kept, as its server says: `ttl` of 2025-11-25, `ttlMs` of the extension.
fn ttl_of(task: &Raw) -> Duration {
    let said = task.get("ttlMs").or_else(|| task.get("ttl")).and_then(|ttl| ttl.as_u64());
    said.map_or(KEEP, |ms| Duration::from_millis(ms).min(KEEP))
}

/// Calls a tool that may become a task.
pub(crate) async fn call(
    client: &Arc<Client>,
    ticket: Ticket,
    mut request: Box<Request>,
    server: &Arc<Server>,
    permit: Permit,
    required: bool,
) -> Outcome {
    let era = match server.known_era() {
        Some(era) => era,
        None => match Box::pin(server.base_line().session()).await {
            Ok(session) => session.era(),
            Err(error) => return exchange::unavailable(client, server, &error),
        },
    };
    let wants_task = request.member("task").is_some();
    let mut way = Way::default();
    match (request.peer.era(), era) {
        (Era::Modern, Era::Legacy) if required && request.peer.capabilities.tasks_extension() => {
            request.params = request.params.as_ref().map(|params| shape::with_task(params, None));
            let outcome = exchange::dispatch_by(client, ticket, request, server, permit, &mut way).await;
            let Some(created) = created(client, &way, &outcome) else {
                return outcome;
            };
            watch(client, created, way.lane);
            turned(outcome, shape::created_to_modern, Revision::LATEST)
        }
        (Era::Legacy, Era::Modern) if wants_task => {
            request.params = request.params.as_ref().map(shape::without_task);
            let peer = Peer {
                capabilities: request.peer.capabilities.with_tasks_extension(),
                ..(*request.peer).clone()
            };
            request.peer = Arc::new(peer);
            let outcome = exchange::dispatch_by(client, ticket, request, server, permit, &mut way).await;
            match created(client, &way, &outcome) {
                Some(_) => turned(outcome, shape::created_to_legacy, Revision::LATEST_LEGACY),
                None => outcome,
            }
        }
        (client_era, server_era) if client_era == server_era && (wants_task || request.peer.capabilities.tasks_extension()) => {
            let outcome = exchange::dispatch_by(client, ticket, request, server, permit, &mut way).await;
            drop(created(client, &way, &outcome));
            outcome
        }
        _ => exchange::dispatch(client, ticket, request, server, permit).await,
    }
}

/// The task that an answer has created, in either shape.
fn task_in(result: &Raw) -> Option<Raw> {
    match adapt::result_type(result) {
        adapt::ResultType::Task => Some(result.clone()),
        _ => result.get("task"),
    }
}

/// Notes the task that an answer has created, if it has.
fn created(client: &Client, way: &Way, outcome: &Outcome) -> Option<Created> {
    let Outcome::Result(answered) = outcome else { return None };
    let created = task_in(&answered.result)?;
    let (task, ttl) = (shape::task_id(&created)?, ttl_of(&created));
    let line = way.line.clone()?;
    let route = client.inner.tasks.created(&client.principal.id, &task, &line, ttl);
    line.wanted.notify_one();
    Some(Created { task, route, line })
}

/// An answer that has created a task, in the words of the other era.
fn turned(outcome: Outcome, turn: impl Fn(&Raw) -> Raw, revision: Revision) -> Outcome {
    match outcome {
        Outcome::Result(answered) => Outcome::Result(Answered {
            result: turn(&answered.result),
            revision,
            ..answered
        }),
        outcome => outcome,
    }
}

// === modern client, legacy server: the gateway waits for `tasks/result` and lets the client poll

/// Waits for a task's result on the client's behalf, and keeps the questions that come meanwhile. Who listens to the task hears of both.
fn watch(client: &Arc<Client>, created: Created, lane: Option<Arc<LanePermit>>) {
    let client = client.clone();
    let inner = client.inner.clone();
    let over = inner.shutdown.clone();
    inner.spawn(async move {
        let Created { task, route, line } = created;
        let result = over.run_until_cancelled(result_of(&client, &line, &route, &task)).await.flatten();
        drop(lane);
        let gone = || Outcome::refused(ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "the task's server is gone"));
        route.watched().outcome = Some(result.unwrap_or_else(gone));
        over.run_until_cancelled(tell(&client, &line, &route, &task)).await;
    });
}

/// What `tasks/result` brings; `None` when the task's connection is not there any more.
async fn result_of(client: &Client, line: &Arc<Line>, route: &Route, task: &str) -> Option<Outcome> {
    let session = line.session().await.ok()?;
    let params = shape::with_task_id(&Raw::object_empty(), task);
    let own = Request::internal("tasks/result", Some(params), session.inner.own_peer.clone());
    let mut call = Call::place(&session, &own, Hears::Call, &leave(client, line, task).await.ok()?).ok()?;
    loop {
        match call.next().await {
            CallEvent::Ask(ask, message) => {
                route.ask(&session, ask, message);
                tell(client, line, route, task).await;
            }
            CallEvent::Done(outcome) => return Some(*outcome),
            CallEvent::Lost(why) | CallEvent::NotSent(why) => {
                return Some(Outcome::refused(ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, why)));
            }
            CallEvent::SessionGone => return None,
            CallEvent::Interim(_) | CallEvent::Greeted(_) | CallEvent::Aside(_) => {}
        }
    }
}

/// Tells those who listen to a watched task how it stands.
async fn tell(client: &Client, line: &Arc<Line>, route: &Route, task: &str) {
    if let Ok(task) = get(client, line, task).await {
        let payload = route.payload(shape::status(&task), Revision::LATEST);
        let told = shape::status_to_modern(&task, &payload);
        announce(line, &Message::notification("notifications/tasks", Some(&told)));
    }
}

impl Route {
    fn place(&self) -> MutexGuard<'_, Weak<Line>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The line that it runs on, if that is still there.
    fn line(&self) -> Option<Arc<Line>> {
        self.place().upgrade()
    }

    fn is_on(&self, line: &Arc<Line>) -> bool {
        self.place().as_ptr() == Arc::as_ptr(line)
    }

    /// Notes another line than before, where that has ended.
    fn moves_to(&self, line: &Arc<Line>) {
        if !self.is_on(line) {
            *self.place() = Arc::downgrade(line);
            line.wanted.notify_one();
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody asks about it: it is kept on.
    fn touch(&self) {
        let mut kept = self.kept();
        kept.until = crate::now() + kept.ttl;
    }

    fn watched(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, session: &Arc<Session>, ask: Ticket, message: Message) {
        let mut watched = self.watched();
        watched.asked += 1;
        let key = format!("question-{}", watched.asked);
        watched.questions.push(Question {
            key,
            session: session.clone(),
            ask,
            message,
        });
    }

    /// What belongs to a task of that status. The status may be ahead of the result by a moment: until both are there, there is nothing.
    fn payload(&self, status: Option<Status>, to: Revision) -> Payload {
        let watched = self.watched();
        if status == Some(Status::Cancelled) {
            return Payload::None;
        }
        match &watched.outcome {
            Some(Outcome::Result(answered)) => {
                return Payload::Result(adapt::result("tools/call", &answered.result, answered.revision, to));
            }
            Some(Outcome::Error(failed)) => return Payload::Error(failed.error.clone()),
            _ => {}
        }
        if watched.questions.is_empty() || status.is_some_and(Status::is_terminal) {
            return Payload::None;
        }
        let requests = watched.questions.iter().map(|question| {
            let method = question.message.method().unwrap_or_default().to_owned();
            let params = question
                .message
                .params()
                .map(|params| adapt::reverse_params(&method, &params, question.session.revision(), to, ""));
            InputRequest {
                key: question.key.clone(),
                method,
                params,
            }
        });
        Payload::Input(InputRequired {
            requests: requests.collect(),
            state: None,
        })
    }

    fn answer(&self, responses: &Raw, from: Revision, permit: &Permit) {
        let mut watched = self.watched();
        watched.questions.retain(|question| {
            let Some(answer) = responses.get(&question.key) else { return true };
            let method = question.message.method().unwrap_or_default();
            let answer = adapt::reverse_result(method, &answer, from, question.session.revision());
            let answer = Message::result(&Id::number(0), &answer);
            question.session.answer_under(question.ask, answer, permit);
            false
        });
    }
}

// === news of tasks

/// A server says how a task stands: for the modern clients that listen to it.
pub(crate) fn told(line: &Arc<Line>, message: &Message) {
    let core = match message.method() {
        Some("notifications/tasks/status") => true,
        Some("notifications/tasks") => false,
        _ => return,
    };
    let Some(params) = message.params() else { return };
    let Some(route) = shape::task_id(&params).and_then(|task| line.server.inner().tasks.at(line, &task)) else {
        return;
    };
    let told = if core {
        shape::status_to_modern(&params, &route.payload(shape::status(&params), Revision::LATEST))
    } else {
        params
    };
    announce(line, &Message::notification("notifications/tasks", Some(&told)));
}

/// Tells those who listen to the task of that line: another server, or another principal, may have one of the same name.
fn announce(line: &Arc<Line>, message: &Message) {
    let Some(task) = message.params().as_ref().and_then(shape::task_id) else {
        return;
    };
    let inner = line.server.inner();
    for client in inner.clients.all() {
        let theirs = || matches!(inner.tasks.of(&client, &task), Found::One(route) if route.is_on(line));
        client.tell_listeners(message, |filter| filter.tasks.contains(&task) && theirs());
    }
}

// === requests about a task

/// `tasks/get`, `tasks/result`, `tasks/update`, `tasks/cancel`.
pub(crate) async fn one(client: &Arc<Client>, ticket: Ticket, request: Box<Request>) -> Outcome {
    let Some(task) = request.params.as_ref().and_then(shape::task_id) else {
        return Outcome::refused(ErrorObject::invalid_params(format!(
            "`{}` needs `taskId`, a string",
            request.method.name()
        )));
    };
    let route = match client.inner.tasks.of(client, &task) {
        Found::One(route) => Some(route),
        Found::None => None,
        Found::Many => return Outcome::refused(ambiguous(client, &task)),
    };
    let server = match &route {
        Some(route) => client.inner.server(&route.server),
        None if client.inner.tasks.is_of_another(&client.principal.id, &task) => None,
        None => sole_task_server(client, &request.peer),
    };
    let Some(server) = server else {
        return Outcome::refused(ErrorObject::invalid_params(format!("unknown task `{task}`")));
    };
    let action = Action::UseTask {
        server: &server.spec.id,
        task: &task,
    };
    let permit = match client.admit(action, &request.trace).await {
        Ok(permit) => permit,
        Err(error) => return Outcome::refused(error),
    };
    let line = match route.as_ref().and_then(|route| route.line()) {
        Some(line) => line,
        None => match server.line_for(client, &request.peer).await {
            Ok((line, _lane)) => line,
            Err(error) => return exchange::unavailable(client, &server, &error),
        },
    };
    if let Some(route) = &route {
        route.touch();
        route.moves_to(&line);
    }
    match (request.peer.era(), server.known_era()) {
        (Era::Modern, Some(Era::Legacy)) => polled(client, ticket, request, line, permit, route).await,
        (Era::Legacy, Some(Era::Modern)) => waited(client, ticket, request, &line, &task).await,
        _ => dispatch_on(client, ticket, request, line, permit).await,
    }
}

/// Nobody is told of one task what was asked about another.
fn ambiguous(client: &Client, task: &str) -> ErrorObject {
    let routes = client.inner.tasks.all(&client.principal.id, task);
    let servers: BTreeSet<&str> = routes.iter().map(|route| route.server.as_str()).collect();
    let servers: Vec<&str> = servers.into_iter().collect();
    ErrorObject::invalid_params(format!(
        "several tasks of yours are called `{task}` ({}), so that it can't be told which one is meant; \
         use clients of different principals for them, or servers whose task ids are unique",
        servers.join(", ")
    ))
}

/// Sends an admitted request to where its task runs.
async fn dispatch_on(client: &Arc<Client>, ticket: Ticket, request: Box<Request>, line: Arc<Line>, permit: Permit) -> Outcome {
    let server = line.server.clone();
    let mut way = Way {
        line: Some(line),
        lane: None,
    };
    exchange::dispatch_by(client, ticket, request, &server, permit, &mut way).await
}

/// A task that this process did not see created can only be with the one server that has tasks.
fn sole_task_server(client: &Arc<Client>, peer: &Peer) -> Option<Arc<Server>> {
    let view = client.inner.view_for(client, peer);
    let mut able = view.offers().iter().filter(|offer| {
        let capabilities = mcp::capabilities::ServerCapabilities::new(offer.advertised.capabilities.clone());
        capabilities.tasks_extension() || capabilities.raw().get("tasks").is_some()
    });
    let only = able.next()?;
    if able.next().is_some() {
        None
    } else {
        client.inner.server(&only.server)
    }
}

/// A modern client polls a legacy server's task.
async fn polled(
    client: &Arc<Client>,
    ticket: Ticket,
    request: Box<Request>,
    line: Arc<Line>,
    permit: Permit,
    route: Option<Arc<Route>>,
) -> Outcome {
    match request.method.name() {
        "tasks/update" => {
            let responses = request.params.as_ref().and_then(|params| params.get("inputResponses"));
            if let (Some(route), Some(responses)) = (route, responses) {
                route.answer(&responses, request.peer.revision, &permit);
            }
            modern(shape::acknowledged())
        }
        "tasks/cancel" => match dispatch_on(client, ticket, request, line, permit).await {
            Outcome::Result(_) => modern(shape::acknowledged()),
            outcome => outcome,
        },
        _ => {
            let to = request.peer.revision;
            match dispatch_on(client, ticket, request, line, permit).await {
                Outcome::Result(answered) => {
                    let status = shape::status(&answered.result);
                    let payload = route.map_or(Payload::None, |route| route.payload(status, to));
                    modern(shape::got_to_modern(&answered.result, &payload))
                }
                outcome => outcome,
            }
        }
    }
}

fn modern(result: Raw) -> Outcome {
    Outcome::Result(Answered {
        message: None,
        result,
        revision: Revision::LATEST,
    })
}

/// A legacy client asks about, waits for or cancels a modern server's task. It knows nothing of the extension, so the gateway asks, on its behalf.
async fn waited(client: &Arc<Client>, ticket: Ticket, request: Box<Request>, line: &Arc<Line>, task: &str) -> Outcome {
    if request.method.name() == "tasks/result" {
        return await_result(client, ticket, &request, line, task).await;
    }
    let cancels = request.method.name() == "tasks/cancel";
    let params = shape::with_task_id(&Raw::object_empty(), task);
    if cancels && let Err(outcome) = ask(client, line, task, "tasks/cancel", params).await {
        return outcome;
    }
    match get(client, line, task).await {
        Ok(task) if cancels => Outcome::own(shape::cancelled_to_legacy(&task)),
        Ok(task) => Outcome::own(shape::got_to_legacy(&task).0),
        Err(outcome) => outcome,
    }
}

async fn get(client: &Client, line: &Arc<Line>, task: &str) -> Result<Raw, Outcome> {
    ask(client, line, task, "tasks/get", shape::with_task_id(&Raw::object_empty(), task)).await
}

/// Leave to do something about a task now: each step is a call of its own, and the policy may have changed since the one before.
async fn leave(client: &Client, line: &Line, task: &str) -> Result<Permit, ErrorObject> {
    let server = &line.server.spec.id;
    let action = Action::UseTask { server, task };
    client.admit(action, &Trace::default()).await
}

async fn ask(client: &Client, line: &Arc<Line>, task: &str, method: &str, params: Raw) -> Result<Raw, Outcome> {
    let unavailable = |error| exchange::unavailable(client, &line.server, &error);
    let session = line.session().await.map_err(unavailable)?;
    let peer = session.inner.listening_peer.clone();
    let mut request = Request::internal(method, Some(params), peer);
    request.method = Method::of(method, session.revision()).unwrap_or(request.method);
    let permit = leave(client, line, task).await.map_err(Outcome::refused)?;
    match fetch::ask_with(&session, request, &permit, WAIT).await.map_err(unavailable)? {
        Outcome::Result(answered) | Outcome::InputRequired(answered) => Ok(answered.result),
        outcome @ Outcome::Error(_) => Err(outcome),
    }
}

/// `tasks/result` blocks until the task is over; meanwhile its questions are put to the client (2025-11-25 basic/utilities/tasks).
async fn await_result(client: &Arc<Client>, ticket: Ticket, request: &Request, line: &Arc<Line>, task: &str) -> Outcome {
    loop {
        let result = match get(client, line, task).await {
            Ok(result) => result,
            Err(outcome) => return outcome,
        };
        let interval = result
            .get("pollIntervalMs")
            .and_then(|ms| ms.as_u64())
            .map_or(POLL, |ms| Duration::from_millis(ms.clamp(50, 10_000)));
        match shape::got_to_legacy(&result).1 {
            Payload::Result(result) => {
                let result = adapt::result("tools/call", &result, Revision::LATEST, request.peer.revision);
                return Outcome::own(shape::payload_to_legacy(task, &result));
            }
            Payload::Error(error) => return Outcome::refused(error),
            Payload::Input(asked) => {
                let answered = Answered {
                    message: None,
                    result: asked.to_result(),
                    revision: Revision::LATEST,
                };
                let params = match crate::bridge::fulfil(client, ticket, request, &answered).await {
                    Ok(params) => params,
                    Err(outcome) => return outcome,
                };
                let responses = params.get("inputResponses").unwrap_or_else(Raw::object_empty);
                let update = shape::with_task_id(&Raw::object_empty(), task)
                    .edit()
                    .set(&["inputResponses"], &responses)
                    .finish();
                if let Err(outcome) = ask(client, line, task, "tasks/update", update).await {
                    return outcome;
                }
            }
            Payload::None if shape::status(&result).is_some_and(Status::is_terminal) => {
                return Outcome::refused(ErrorObject::invalid_params(format!(
                    "the task `{task}` was cancelled: it has no result"
                )));
            }
            Payload::None => {}
        }
        tokio::time::sleep(interval).await;
    }
}

/// `tasks/list`: of every legacy server that lists tasks, all asked at the same time; one that does not answer in time is left out.
pub(crate) async fn list(client: &Arc<Client>, request: &Request) -> Outcome {
    let view = client.inner.view_for(client, &request.peer);
    let able = view
        .offers()
        .iter()
        .filter(|offer| offer.advertised.capabilities.at(&["tasks", "list"]).is_some());
    let asked = able.map(|offer| tasks_of(client, request, &offer.server));
    let tasks: Vec<Raw> = futures_util::future::join_all(asked)
        .await
        .into_iter()
        .flatten()
        .flatten()
        .collect();
    let list: Vec<&str> = tasks.iter().map(Raw::text).collect();
    let text = format!("{{\"tasks\":[{}]}}", list.join(","));
    match Raw::parse(text, &client.inner.limits()) {
        Ok(result) => Outcome::own(result),
        Err(_) => Outcome::refused(ErrorObject::internal()),
    }
}

/// The tasks of one server, over all pages.
async fn tasks_of(client: &Arc<Client>, request: &Request, id: &ServerId) -> Option<Vec<Raw>> {
    let action = Action::UseTask { server: id, task: "*" };
    let permit = client.admit(action, &request.trace).await.ok()?;
    let server = client.inner.server(id)?;
    let (line, _lane) = server.line_for(client, &request.peer).await.ok()?;
    let session = line.session().await.ok()?;
    let mut tasks = Vec::new();
    let mut params = None;
    for _ in 0..MAX_PAGES {
        let list = Request::internal("tasks/list", params, session.inner.own_peer.clone());
        let Ok(Outcome::Result(page)) = fetch::ask_with(&session, list, &permit, WAIT).await else {
            break;
        };
        tasks.extend(page.result.get("tasks").map(|list| list.items()).unwrap_or_default());
        let Some(cursor) = page.result.get("nextCursor") else { break };
        params = Some(Raw::object_empty().edit().set(&["cursor"], &cursor).finish());
    }
    for task in &tasks {
        if let Some(id) = shape::task_id(task) {
            client.inner.tasks.listed(&client.principal.id, &id, &line, ttl_of(task));
        }
    }
    Some(tasks)
}
