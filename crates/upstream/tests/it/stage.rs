//! One server and its callers, driven by the lines of a transcript.
//!
//! `==legacy`, `==modern` and `==auto` begin a case with a new server. The results of a line stand below it, after `>`: `s1 <` is what is written to
//! the server on its first connection, `event` an event for the sink, `c1` an event of the first call.
//!
//! ```text
//! up                            the server is started, and kept connected
//! s1 greets                     the server answers the handshake that waits; `lists look change` answers a list of tools
//! s1 says {"method":…}          the server says that on its first connection
//! x1 answers {…}                over HTTP, the server answers the first exchange; `greets`, `lists`, `streams`, `fails 404 …`, `breaks` and others
//! alice calls {"name":"look"}   a call, named c1, c2 …; `alice#5 asked` is a client with a session that can be asked
//! q1 is answered {…}            the first question is answered
//! alice gets a line             the line for a client's call, and the lane, which it holds
//! after 5s                      time passes
//! ```

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::task::{self, Waker};
use std::time::Duration;

use guard::{Guard, NoResolver, OwnTools, SendPermit, Subject};
use jsonrpc::{Limits, Message, Raw};
use mgp::negotiation::{Extension, Offer};
use model::{Principal, ServerId, Trace};
use policy::{Action, Policy, Revision};
use runtime::Runtime;
use serde_json::Value;
use store::Clock;
use tokio::task::AbortHandle;
use upstream::{Attachment, Config, Context, Identity, LanePermit, NoCache, Question, Server};
use upstream::{ServerEvent, ServerEvents, Upstream};

use crate::connection::{Connections, Scripted, Seen};
use crate::spec::{id, spec};
use crate::{said, sharer};

/// The events in order, without the written frames.
#[derive(Clone, Default)]
pub(crate) struct Log {
    entries: Arc<Mutex<Vec<Entry>>>,
    /// What is looked at while an offer is reported.
    upstream: Arc<OnceLock<Weak<Upstream>>>,
}

pub(crate) enum Entry {
    Event(ServerEvent),
    Line(String),
    Asked(String, Question),
}

impl Log {
    pub(crate) fn push(&self, entry: Entry) {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    fn take(&self) -> Vec<Entry> {
        std::mem::take(&mut *self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Checks that those who wait for an offer still wait while it is reported: a view that they look at knows of it.
    fn check_that_waiters_wait(&self, server: &ServerId) {
        let server = self
            .upstream
            .get()
            .and_then(Weak::upgrade)
            .and_then(|upstream| upstream.server(server));
        let Some(server) = server else { return };
        for words in [&["asked"][..], &[], &["modern"]] {
            let peer = sharer::sharer("alice", words).peer;
            let waiting = pin!(server.until_known(&peer));
            let is_over = waiting.poll(&mut task::Context::from_waker(Waker::noop())).is_ready();
            assert!(
                !(is_over && server.is_known(&peer)),
                "a waiter goes on before the offer is reported"
            );
        }
    }
}

impl ServerEvents for Log {
    fn event(&self, event: ServerEvent) {
        if let ServerEvent::Offered { server, .. } = &event {
            self.check_that_waiters_wait(server);
        }
        self.push(Entry::Event(event));
    }
}

/// The server of a transcript, with its callers.
pub(crate) struct Stage {
    guard: Arc<Guard>,
    upstream: Arc<Upstream>,
    runtime: Arc<Runtime>,
    pub(crate) connections: Arc<Connections>,
    pub(crate) log: Log,
    pub(crate) calls: Vec<AbortHandle>,
    questions: Vec<Question>,
    pub(crate) lanes: Vec<(String, LanePermit)>,
    attached: Vec<Attachment>,
    /// The ids of the requests that each connection received and has not answered, by method.
    pub(crate) unanswered: BTreeMap<(usize, String), Vec<Value>>,
}

impl Stage {
    pub(crate) fn new(words: &[&str]) -> Self {
        let (runtime, connections, log) = (Runtime::new(), Arc::new(Connections::default()), Log::default());
        let own_tools = OwnTools {
            server: ServerId::new("kernel").expect("a good id"),
            facts: Vec::new(),
        };
        let guard = Guard::new(None, None, own_tools, Arc::new(NoResolver), Clock::system(), runtime.clone());
        let mgp = Offer {
            extensions: [Extension::Audit].into_iter().filter(|_| words.contains(&"mgp")).collect(),
        };
        let config = Config {
            limits: Limits::default(),
            debounce: Duration::from_millis(50),
            mgp,
        };
        let connector = Arc::new(Scripted(connections.clone()));
        let context = Context::new(
            runtime.clone(),
            (connector, Arc::new(NoCache)),
            Arc::new(Identity::new("1")),
            guard.admit_own(),
            config,
            Arc::new(log.clone()),
        );
        let upstream = Upstream::new(context, &[spec(words)]);
        log.upstream.set(Arc::downgrade(&upstream)).expect("the stage is made once");
        Self {
            guard,
            upstream,
            runtime,
            connections,
            log,
            calls: Vec::new(),
            questions: Vec::new(),
            lanes: Vec::new(),
            attached: Vec::new(),
            unanswered: BTreeMap::new(),
        }
    }

    pub(crate) fn server(&self) -> Arc<Server> {
        self.upstream.server(&id()).expect("it is configured")
    }

    /// Executes one line, and returns its results.
    pub(crate) async fn carry_out(&mut self, line: &str) -> Vec<String> {
        if let Some((times, line)) = line.split_once(" times ") {
            // Of many repetitions, only the results of the last are shown.
            let times: usize = times.parse().expect("a number");
            for _ in 1..times {
                self.act(&line.split_whitespace().collect::<Vec<_>>(), "").await;
            }
            return Box::pin(self.carry_out(line)).await;
        }
        let (text, json) = match line.find('{') {
            Some(at) => (&line[..at], &line[at..]),
            None => (line, ""),
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut said = self.act(&words, json).await;
        loop {
            settle().await;
            let seen = self.seen();
            if seen.is_empty() {
                return said;
            }
            said.extend(seen);
        }
    }

    async fn act(&mut self, words: &[&str], json: &str) -> Vec<String> {
        let number = |word: &str| word[1..].parse::<usize>().ok();
        match words {
            ["up", "with", tools @ ..] => {
                // `handshake.txt` shows the results of these lines.
                for line in ["up", "s1 greets", &format!("s1 lists {}", tools.join(" "))] {
                    Box::pin(self.carry_out(line)).await;
                }
            }
            ["attempts"] => return vec![format!("{} so far", self.connections.attempts())],
            ["up"] => self.upstream.bring_up(&self.server()),
            ["down"] => self.connections.go_down(true),
            ["back"] => self.connections.go_down(false),
            ["after", time] => pass(duration(time)).await,
            ["health"] => return vec![said::health(&self.server().state.health())],
            ["usable"] => return vec![said::health(&self.server().state.usable())],
            ["trouble"] => return vec![self.server().state.trouble().unwrap_or_else(|| "none".to_owned())],
            ["offer"] => return vec![self.offer()],
            ["sessions"] => return vec![format!("{} live", self.server().live_sessions().len())],
            ["policy", "closes"] => self.guard.put(Policy::deny_all(Revision(99))),
            ["policy", "opens"] => self.guard.put(Policy::allow_all()),
            ["sweep", idle] => {
                let idle = u64::try_from(duration(idle).as_millis()).expect("a short time");
                self.server().sweep(self.runtime.uptime_ms(), idle, |_| false);
            }
            ["client", number, "goes"] => self.server().client_gone(number.parse().expect("a number")),
            ["removed"] => self.server().hang_up("it was removed from the configuration"),
            ["shutdown"] => self.runtime.shutdown().cancel(),
            [server, rest @ ..] if server.starts_with('s') && number(server).is_some() => {
                self.speaks(number(server).unwrap_or_default(), rest, json);
            }
            [exchange, rest @ ..] if exchange.starts_with('x') && number(exchange).is_some() => {
                self.connections.exchanges.act(number(exchange).unwrap_or_default(), rest, json);
            }
            [call, "gives", "up"] => self.calls[number(call).expect("a call") - 1].abort(),
            [question, "is", "answered"] => {
                let answer = Raw::of(&serde_json::from_str::<Value>(json).expect("good JSON"));
                let (question, permit) = (&self.questions[number(question).expect("a question") - 1], self.permit().await);
                question.answer(Message::result(&jsonrpc::Id::number(0), &answer), &permit);
            }
            [question, "is", "refused"] => {
                let question = &self.questions[number(question).expect("a question") - 1];
                question.refuse(jsonrpc::ErrorObject::invalid_request("no client is there"));
            }
            [name, rest @ .., "calls"] => self.calls(name, rest, json).await,
            [name, rest @ .., "gets", "a", "line"] => return vec![self.lines(name, rest).await],
            [name, rest @ .., "listens"] => {
                let sharer = sharer::sharer(name, rest);
                let line = self.server().line_for(&sharer, Duration::ZERO).await.expect("a line").0;
                self.attached.push(line.attach(sharer.client.expect("a client")));
            }
            [name, "lets", "go"] => self.lanes.retain(|(holder, _)| holder != name),
            _ => panic!("`{words:?}` is no line"),
        }
        Vec::new()
    }

    pub(crate) async fn permit(&self) -> SendPermit {
        let (subject, server) = (Subject::new(Principal::local()), id());
        let action = Action::ReadResource { server: &server, uri: "" };
        let admitted = self.guard.admit(&subject, action, &Trace::default()).await;
        admitted.unwrap_or_else(|_| self.guard.admit_own())
    }

    fn offer(&self) -> String {
        let server = self.server();
        let Some(offer) = server.state.offer(&server.offer_key_of_gateway()) else {
            return "not known".to_owned();
        };
        let names: Vec<&str> = offer.tools.items.iter().map(|item| &*item.key).collect();
        format!("tools: {}", names.join(", "))
    }

    // === results

    fn seen(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        for (number, seen) in self.connections.take() {
            said.push(match seen {
                Seen::Connected => format!("s{number} is connected"),
                Seen::Written(bytes) => {
                    let message: Value = serde_json::from_slice(&bytes).expect("a message is JSON");
                    if let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) {
                        let key = (number, method.to_owned());
                        self.unanswered.entry(key).or_default().push(id.clone());
                    }
                    format!("s{number} < {}", said::message(&bytes))
                }
                Seen::NotWritten => format!("s{number}: a message is not written, its permit was withdrawn"),
                Seen::LetGo => format!("s{number} is let go"),
            });
        }
        said.extend(self.connections.exchanges.take());
        for entry in self.log.take() {
            let (text, question) = match entry {
                Entry::Event(event) => {
                    let (text, question) = said::event(event);
                    (format!("event: {text}"), question)
                }
                Entry::Line(text) => (text, None),
                Entry::Asked(text, question) => (text, Some(question)),
            };
            let name = question.map_or_else(String::new, |question| {
                self.questions.push(question);
                format!(" (q{})", self.questions.len())
            });
            said.push(format!("{text}{name}"));
        }
        said
    }
}

fn duration(text: &str) -> Duration {
    let unit = text.find(|c: char| !c.is_ascii_digit()).expect("a unit");
    let count: u64 = text[..unit].parse().expect("a number");
    match &text[unit..] {
        "ms" => Duration::from_millis(count),
        "s" => Duration::from_secs(count),
        unit => panic!("`{unit}` is no unit"),
    }
}

/// Lets time pass, in which every due timer fires at its time.
async fn pass(time: Duration) {
    let step = Duration::from_millis(250);
    let mut left = time;
    while !left.is_zero() {
        tokio::time::advance(left.min(step)).await;
        left = left.saturating_sub(step);
        settle().await;
    }
}

/// Runs every task until it waits. Time does not pass.
async fn settle() {
    for _ in 0..32 {
        tokio::task::yield_now().await;
    }
}
