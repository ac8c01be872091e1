//! A kernel, its callers and its servers, driven by the lines of a transcript.
//!
//! `==TITLE: open` or `: guarded` begins a case with a new kernel, which `fs` and `db` stand behind, servers of the legacy era but for `, fs modern`, and
//! without tasks but for `, fs tasks`. The results of a line stand below it, after `>`.
//!
//! ```text
//! fs has look destroy              what a server lists when it is asked
//! alice is there                   a caller; `asked` where it can be, `in session 5` where its requests belong together, `modern`, `tasks`
//! alice calls look {}              a call, named c1, c2 …; `lists` is a look at what there is
//! fs answers {…}                   the server answers its oldest call, or of a method: `answers tasks/get {…}`; `refuses` with an error; `says {…}` anything
//!                                  else
//! alice answers q1 {…}             the caller answers the first question it was asked
//! alice retries c1 {…}             the caller makes a call again with the answers to its questions
//! alice cancels c1                 the caller does not want it any more
//! op approves 1                    the operator decides about the first call that waits
//! ```

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use jsonrpc::{ErrorObject, Id, Limits, Message, Raw};
use kernel::operator::{NewGrant, Operations};
use kernel::spec::{EraChoice, Launch, ServerSpec, Share, Start};
use kernel::{Caller, Dependencies, Kernel, NoCache, Port, Security, Settings, Subject};
use mcp::exchange::{Outcome, Request, Retry};
use mcp::revision::Revision;
use model::{Access, GrantScope, Principal, PrincipalId, Role, ServerId, Ticket};
use policy::{Answer, DefaultAccess, Origin, Policy};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::port::Scripted;
use crate::said;
use crate::servers::{self, Kind, Servers};

/// One caller, with its port.
struct Person {
    port: Arc<Scripted>,
    caller: Arc<Caller>,
}

/// The kernel of a transcript, with its callers and servers.
pub(crate) struct Stage {
    kernel: Kernel,
    servers: Arc<Servers>,
    people: BTreeMap<String, Person>,
    calls: Vec<Made>,
}

/// A call that was made.
struct Made {
    method: String,
    params: Value,
    /// The state with which it is made again, where it was answered a question.
    state: Option<Raw>,
    running: Option<JoinHandle<Option<Outcome>>>,
}

fn tools_of(id: &str, kind: Kind) -> &'static [&'static str] {
    match (id, kind.has_tasks) {
        ("fs", false) => &["look", "destroy"],
        ("fs", true) => &["look", "destroy", "work", "job"],
        (_, false) => &["query"],
        (_, true) => &["query", "work"],
    }
}

fn spec(id: &str, kind: Kind) -> ServerSpec {
    ServerSpec {
        id: ServerId::new(id).expect("a good id"),
        launch: Ok(Launch::Stdio {
            command: "scripted".to_owned(),
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
        }),
        era: if kind.is_modern { EraChoice::Modern } else { EraChoice::Legacy },
        share: Share::Session,
        start: Start::Eager,
        prefix: false,
        include: Vec::new(),
        exclude: Vec::new(),
        request_timeout: Duration::from_secs(20),
        startup_timeout: Duration::from_secs(10),
        digest: id.to_owned(),
    }
}

fn security() -> Security {
    let mut security = Security {
        principals: ["alice", "bob"].map(|name| (PrincipalId::new(name), Origin::Remote)).into(),
        approval_ttl: Duration::from_secs(60),
        ..Security::default()
    };
    security.tables.access = Some(DefaultAccess::OptOut);
    security
}

impl Stage {
    pub(crate) async fn new(words: &str) -> Self {
        let servers: Arc<Servers> = Arc::default();
        let (access, kinds) = words.split_once(", ").unwrap_or((words, ""));
        let spec = |id: &str| {
            let words = kinds.split(", ").filter_map(|kind| kind.strip_prefix(id)).collect::<String>();
            let kind = Kind {
                is_modern: words.contains("modern"),
                has_tasks: words.contains("tasks"),
            };
            servers.is(id, kind);
            servers.has(id, tools_of(id, kind));
            spec(id, kind)
        };
        let settings = Settings {
            servers: vec![spec("fs"), spec("db")],
            security: (access == "guarded").then(security),
            limits: Limits::default(),
            ..Settings::default()
        };
        let connector = Arc::new(servers::Scripted(servers.clone()));
        let stage = Self {
            kernel: Kernel::start(settings, Dependencies::new(connector, Arc::new(NoCache))),
            servers,
            people: BTreeMap::new(),
            calls: Vec::new(),
        };
        stage.settle().await;
        stage
    }

    /// Executes one line, and returns its results.
    pub(crate) async fn carry_out(&mut self, line: &str) -> Vec<String> {
        let (text, json) = match line.find('{') {
            Some(at) => (&line[..at], &line[at..]),
            None => (line, "{}"),
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let json: Value = serde_json::from_str(json).expect("good JSON");
        let mut said = self.act(&words, json).await;
        said.extend(self.settle().await);
        for (name, person) in &self.people {
            said.extend(person.port.take().into_iter().map(|text| format!("{name} {text}")));
        }
        for (at, call) in self.calls.iter_mut().enumerate() {
            if let Some(running) = call.running.take_if(|running| running.is_finished()) {
                let outcome = running.await.expect("no panic");
                if let Some(Outcome::InputRequired(asked)) = &outcome {
                    call.state = asked.result.get("requestState");
                }
                said.push(format!("c{} {}", at + 1, said::without_ids(&said::outcome(outcome.as_ref()))));
            }
        }
        said
    }

    async fn act(&mut self, words: &[&str], json: Value) -> Vec<String> {
        let number = |word: &str| word.trim_start_matches(['c', 'q']).parse::<usize>().expect("a number");
        match words {
            [server, "has", tools @ ..] => {
                self.servers.has(server, tools);
                self.servers
                    .says(server, r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
            }
            [server @ ("fs" | "db"), "answers", method @ ..] => self.servers.answer(server, method.first().copied(), "result", &json),
            [server @ ("fs" | "db"), "refuses"] => self.servers.answer(server, None, "error", &json),
            [server, "says"] => self.servers.says(server, &json.to_string()),
            [server, "does", "not", "read"] => self.servers.reads(server, false),
            [server, "reads"] => self.servers.reads(server, true),
            [server, "exits"] => self.servers.exit(server),
            ["policy", "closes"] => self.kernel.set_policy(Policy::deny_all(policy::Revision(99))),
            ["policy", "opens"] => self.kernel.set_policy(Policy::allow_all()),
            ["after", seconds] => pass(number(seconds)).await,
            ["waiting"] => return self.waiting(),
            ["op", "approves", nth] => return vec![self.decides(number(nth), Answer::Approve).await],
            ["op", "denies", nth] => return vec![self.decides(number(nth), Answer::Deny).await],
            ["op", "forbids", name, tool] => self.forbids(name, tool).await,
            [name, "is", "there", how @ ..] => self.comes(name, how),
            [name, "leaves"] => drop(self.people.remove(*name)),
            [name, "calls", tool] => self.calls(name, "tools/call", &json!({"name": tool, "arguments": json})),
            [name, "calls", tool, "with", token] => {
                let params = json!({"name": tool, "arguments": json, "_meta": {"progressToken": token}});
                self.calls(name, "tools/call", &params);
            }
            [name, "requests", method] => self.calls(name, method, &json),
            [name, "retries", call] => self.retries(name, number(call), &json),
            [name, "cancels", call] => self.people[*name].port.cancel(Ticket(number(call) as u64)),
            [name, "answers", question] => {
                let answer = Message::result(&Id::number(0), &Raw::of(&json));
                self.people[*name].port.answer(number(question), Ok(answer));
            }
            [name, "reports", question] => {
                let message = Message::notification("notifications/progress", Some(&Raw::of(&json)));
                self.people[*name].port.report(number(question), &message);
            }
            [name, "refuses", question] => {
                let error = ErrorObject::invalid_request("the caller does not answer");
                self.people[*name].port.answer(number(question), Err(error));
            }
            _ => panic!("`{words:?}` is no line"),
        }
        Vec::new()
    }

    // === callers

    fn comes(&mut self, name: &str, how: &[&str]) {
        let (revision, mut capabilities) = match how.contains(&"modern") {
            true => (Revision::LATEST, json!({})),
            false => (Revision::LATEST_LEGACY, json!({})),
        };
        if how.contains(&"asked") {
            capabilities["elicitation"] = json!({});
        }
        if how.contains(&"tasks") && revision.is_modern() {
            capabilities["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
        }
        let port = Scripted::new(revision, &capabilities);
        let session = how.iter().find_map(|word| word.parse().ok());
        let subject = Subject {
            session,
            ..Subject::new(Principal::named(name))
        };
        let weak: Weak<dyn Port> = Arc::<Scripted>::downgrade(&port);
        let caller = self.kernel.calls().caller(subject, weak);
        self.people.insert(name.to_owned(), Person { port, caller });
    }

    fn calls(&mut self, name: &str, method: &str, params: &Value) {
        self.makes(name, method, params, None);
    }

    fn retries(&mut self, name: &str, call: usize, responses: &Value) {
        let made = &self.calls[call - 1];
        let (method, mut params) = (made.method.clone(), made.params.clone());
        params["inputResponses"] = responses.clone();
        if let Some(state) = &made.state {
            params["requestState"] = state.to_value();
        }
        let retry = Retry {
            responses: Some(Raw::of(responses)),
            state: made.state.clone(),
        };
        self.makes(name, &method, &params, Some(retry));
    }

    fn makes(&mut self, name: &str, method: &str, value: &Value, retry: Option<Retry>) {
        let person = &self.people[name];
        let params = Raw::of(value);
        let request = Request {
            progress: params.at(&["_meta", "progressToken"]),
            retry,
            ..Request::internal(method, Some(params), person.port.capabilities().clone())
        };
        let (calls, caller) = (self.kernel.calls().clone(), person.caller.clone());
        let ticket = Ticket(self.calls.len() as u64 + 1);
        let call = tokio::spawn(async move { calls.run(&caller, ticket, Box::new(request)).await });
        self.calls.push(Made {
            method: method.to_owned(),
            params: value.clone(),
            state: None,
            running: Some(call),
        });
    }

    // === the operator

    fn operations(&self) -> Operations {
        let operator = Principal {
            id: PrincipalId::new("op"),
            role: Role::Operator,
        };
        self.kernel.operations(operator, None).expect("an operator")
    }

    fn waiting(&self) -> Vec<String> {
        let waiting = self.operations().approvals();
        let line = |waits: &kernel::operator::Waiting| {
            let approval = &waits.approval;
            format!("{} wants {}: {}", approval.principal, approval.tool, waits.because)
        };
        match waiting.is_empty() {
            true => vec!["nothing".to_owned()],
            false => waiting.iter().map(line).collect(),
        }
    }

    async fn decides(&self, nth: usize, answer: Answer) -> String {
        let operations = self.operations();
        let request = operations.approvals()[nth - 1].approval.request.clone();
        match operations.decide(&request, answer).await {
            Ok(_) => "decided".to_owned(),
            Err(error) => format!("nothing decided: {error}"),
        }
    }

    async fn forbids(&self, name: &str, tool: &str) {
        let grant = NewGrant {
            principal: PrincipalId::new(name),
            scope: GrantScope::parse(tool).expect("`server/tool`"),
            access: Access::Deny,
            confirms: false,
            expires: None,
            justification: None,
        };
        self.operations().grant(grant).await.expect("it can be granted");
    }

    // === results

    /// Runs every task until it waits, and lets the servers read; returns what they received. Time does not pass.
    async fn settle(&self) -> Vec<String> {
        let mut said = Vec::new();
        // Messages may go back and forth a few times before a caller receives one.
        for _ in 0..8 {
            for _ in 0..32 {
                tokio::task::yield_now().await;
            }
            said.extend(self.servers.read());
        }
        said
    }
}

/// Lets a number of seconds pass.
async fn pass(seconds: usize) {
    for _ in 0..seconds * 4 {
        tokio::time::advance(Duration::from_millis(250)).await;
        for _ in 0..32 {
            tokio::task::yield_now().await;
        }
    }
}
