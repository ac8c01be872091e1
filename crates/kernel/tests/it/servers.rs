//! Servers in memory: they answer the handshake and lists of tools by themselves, and everything else is a line of the transcript.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernel::link::{BoxFuture, Closed, Connector, Frame, Inbox, Link, LinkError, Pipe, PipePeer};
use kernel::spec::ServerSpec;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::said;

/// The servers of a transcript, and every connection to them.
#[derive(Default)]
pub(crate) struct Servers(Mutex<State>);

#[derive(Default)]
struct State {
    tools: BTreeMap<String, Vec<String>>,
    kinds: BTreeMap<String, Kind>,
    connections: Vec<Connection>,
}

/// The kind of a server, which its handshake says.
#[derive(Clone, Copy, Default)]
pub(crate) struct Kind {
    pub(crate) is_modern: bool,
    pub(crate) has_tasks: bool,
}

struct Connection {
    server: String,
    outgoing: mpsc::Receiver<Frame>,
    inbox: Arc<dyn Inbox>,
    reads: bool,
    is_over: bool,
    /// The method and the id of each call that is not answered.
    unanswered: Vec<(String, Value)>,
}

struct Peer;

impl PipePeer for Peer {
    fn stderr_tail(&self) -> Vec<String> {
        Vec::new()
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// The connector to the servers of a transcript.
pub(crate) struct Scripted(pub(crate) Arc<Servers>);

impl Connector for Scripted {
    fn connect<'a>(&'a self, server: &'a ServerSpec, inbox: Arc<dyn Inbox>) -> BoxFuture<'a, Result<Link, LinkError>> {
        let (sender, outgoing) = mpsc::channel(64);
        self.0.state().connections.push(Connection {
            server: server.id.as_str().to_owned(),
            outgoing,
            inbox,
            reads: true,
            is_over: false,
            unanswered: Vec::new(),
        });
        let pipe = Pipe {
            outgoing: sender,
            peer: Arc::new(Peer),
        };
        Box::pin(std::future::ready(Ok(Link::Pipe(pipe))))
    }
}

impl Servers {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a server list these tools from now on.
    pub(crate) fn has(&self, server: &str, tools: &[&str]) {
        let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        self.state().tools.insert(server.to_owned(), tools);
    }

    /// Makes a server one of that kind, before it is connected.
    pub(crate) fn is(&self, server: &str, kind: Kind) {
        self.state().kinds.insert(server.to_owned(), kind);
    }

    /// Makes the servers read what was written to them: they answer what they answer by themselves, and the rest is returned as lines.
    pub(crate) fn read(&self) -> Vec<String> {
        let mut frames = Vec::new();
        for (at, connection) in self.state().connections.iter_mut().enumerate() {
            while connection.reads
                && !connection.is_over
                && let Ok(frame) = connection.outgoing.try_recv()
            {
                frames.push((at, connection.server.clone(), frame));
            }
        }
        let mut said = Vec::new();
        for (at, server, frame) in frames {
            // The last check of the permit.
            let Some((bytes, _in_flight)) = frame.begin() else {
                said.push(format!("{server}: a message is not written, its permit was withdrawn"));
                continue;
            };
            let message: Value = serde_json::from_slice(&bytes).expect("a message is JSON");
            match self.by_itself(&server, &message) {
                Some(answer) => self.say(at, &answer.to_string()),
                None if message["method"] == "notifications/initialized" => {}
                None => {
                    // A stream of subscriptions is never answered.
                    let method = message["method"].as_str().filter(|method| *method != "subscriptions/listen");
                    if let (Some(id), Some(method)) = (message.get("id"), method) {
                        let call = (method.to_owned(), id.clone());
                        self.state().connections[at].unanswered.push(call);
                    }
                    if message["method"] == "notifications/cancelled" {
                        let cancelled = &message["params"]["requestId"];
                        self.state().connections[at].unanswered.retain(|(_, id)| id != cancelled);
                    }
                    said.push(format!("{server} < {}", said::message(&bytes)));
                }
            }
        }
        said
    }

    fn by_itself(&self, server: &str, message: &Value) -> Option<Value> {
        let state = self.state();
        let kind = state.kinds.get(server).copied().unwrap_or_default();
        let info = json!({"name": server, "version": "1"});
        let result = match message["method"].as_str()? {
            "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": kind.capabilities(), "serverInfo": info}),
            "server/discover" => json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": kind.capabilities(),
                "ttlMs": 0,
                "cacheScope": "private",
                "_meta": {"io.modelcontextprotocol/serverInfo": info},
            }),
            "tools/list" => {
                let names = state.tools.get(server).into_iter().flatten();
                let tools: Vec<Value> = names.map(|name| tool(name)).collect();
                match kind.is_modern {
                    true => json!({"resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"}),
                    false => json!({"tools": tools}),
                }
            }
            _ => return None,
        };
        Some(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    }

    /// Makes a server answer the oldest of its calls, or of those of one method, on its newest connection that has one.
    pub(crate) fn answer(&self, server: &str, method: Option<&str>, member: &str, value: &Value) {
        let is_meant = |(known, _): &(String, Value)| method.is_none_or(|method| method == known);
        let (at, id) = {
            let mut state = self.state();
            let mut connections = state.connections.iter_mut().enumerate().rev();
            let found = connections.find(|(_, known)| known.server == server && known.unanswered.iter().any(is_meant));
            let (at, connection) = found.unwrap_or_else(|| panic!("no call waits at {server}"));
            let oldest = connection.unanswered.iter().position(is_meant).expect("it was found");
            (at, connection.unanswered.remove(oldest).1)
        };
        self.say(at, &json!({"jsonrpc": "2.0", "id": id, member: value}).to_string());
    }

    /// Makes a server send a message on its newest connection.
    pub(crate) fn says(&self, server: &str, frame: &str) {
        self.say(self.newest(server), frame);
    }

    pub(crate) fn reads(&self, server: &str, reads: bool) {
        let mut state = self.state();
        let theirs = state.connections.iter_mut().filter(|connection| connection.server == server);
        theirs.for_each(|connection| connection.reads = reads);
    }

    /// Ends the newest connection to a server.
    pub(crate) fn exit(&self, server: &str) {
        let at = self.newest(server);
        let inbox = {
            let connection = &mut self.state().connections[at];
            connection.is_over = true;
            connection.outgoing.close();
            connection.inbox.clone()
        };
        inbox.closed(Closed::Exited("exit status: 1".to_owned()));
    }

    fn newest(&self, server: &str) -> usize {
        let state = self.state();
        let at = state.connections.iter().rposition(|known| known.server == server && !known.is_over);
        at.unwrap_or_else(|| panic!("{server} is not connected"))
    }

    fn say(&self, at: usize, frame: &str) {
        let inbox = self.state().connections[at].inbox.clone();
        inbox.frame(frame.as_bytes().to_vec().into());
    }
}

impl Kind {
    fn capabilities(self) -> Value {
        let mut capabilities = json!({"tools": {"listChanged": true}});
        match (self.has_tasks, self.is_modern) {
            (true, true) => capabilities["extensions"] = json!({"io.modelcontextprotocol/tasks": {}}),
            (true, false) => capabilities["tasks"] = json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}),
            (false, _) => {}
        }
        capabilities
    }
}

/// Returns a tool of the risk that its name says: `look` only reads, `destroy` is dangerous; `work` may be a task, and `job` has to be one.
fn tool(name: &str) -> Value {
    let annotations = match name {
        "look" => json!({"readOnlyHint": true}),
        "destroy" => json!({"destructiveHint": true}),
        _ => json!({}),
    };
    let mut tool = json!({"name": name, "inputSchema": {"type": "object"}, "annotations": annotations});
    match name {
        "work" => tool["execution"] = json!({"taskSupport": "optional"}),
        "job" => tool["execution"] = json!({"taskSupport": "required"}),
        _ => {}
    }
    tool
}
