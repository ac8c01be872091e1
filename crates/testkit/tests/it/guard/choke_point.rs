//! The choke point is the only way to a server (issue "MGP security", What must hold): whatever is asked in whatever
//! order, each message that reaches a server for a client has an allow decision stored before it, and none reaches it
//! after the answer to a change that forbids it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use kernel::Subject;
use kernel::operator::{NewGrant, Operations};
use model::{Access, GrantScope, Principal, PrincipalId, ServerId, ToolId};
use policy::{Answer, Origin};
use serde_json::{Value, json};
use testkit::{Arrived, Builder, Client, Era, Exchange, Gateway, Received, Script, Step, Wire, gateway};

use super::witness::{Kept, Witness};
use super::{grant_of, operations, token_of};
use crate::adding_a_protocol::Room;
use crate::{ECHO, WAYS, form};

/// The number of sequences, and of the steps of each.
const CASES: u64 = 48;
const STEPS: usize = 80;

/// Both upstream eras on both wires.
const SERVERS: [(&str, Era, Wire); 4] = [
    ("lp", Era::Legacy, Wire::Pipe),
    ("lh", Era::Legacy, Wire::Http),
    ("mp", Era::Modern, Wire::Pipe),
    ("mh", Era::Modern, Wire::Http),
];
const WHO: [&str; 3] = ["ann", "bob", "cyd"];
const TOOLS: [&str; 4] = ["look", "change", "destroy", "long"];

fn script(id: &str, era: Era, wire: Wire) -> Script {
    let tool = |name: &str, annotations: Value| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": annotations});
    let answer = || [Step::answer(ECHO)];
    let mut long = tool("long", json!({"readOnlyHint": true}));
    long["execution"] = json!({"taskSupport": "optional"});
    let mut extensions = json!({"io.modelcontextprotocol/tasks": {}});
    extensions[format!("com.acme/find{id}")] = json!({});
    let script = Script::of(era)
        .over_http(wire == Wire::Http)
        .tool_defined(tool("look", json!({"readOnlyHint": true})), answer())
        .tool_defined(tool("change", json!({})), answer())
        .tool_defined(tool("destroy", json!({"destructiveHint": true})), answer())
        .tool_defined(long, answer())
        .prompt("greet", [Step::answer(r#"{"resultType":"complete","messages":[]}"#)])
        .on(&format!("find{id}/do"), [Step::answer(r#"{"resultType":"complete"}"#)])
        .on(
            "completion/complete",
            [Step::answer(r#"{"resultType":"complete","completion":{"values":[]}}"#)],
        )
        .on("resources/read", [Step::answer(r#"{"resultType":"complete","contents":[]}"#)]);
    let resources = WHO.iter().fold(script, |script, who| {
        script.resource(
            &format!("test://{id}/{who}"),
            [Step::answer(r#"{"resultType":"complete","contents":[]}"#)],
        )
    });
    resources.capabilities(json!({
        "tools": {"listChanged": true}, "prompts": {"listChanged": true}, "resources": {"subscribe": true, "listChanged": true},
        "completions": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}, "extensions": extensions,
    }))
}

fn everything() -> Builder {
    let servers = SERVERS.into_iter();
    let built = servers.fold(gateway(), |built, (id, era, wire)| built.upstream(id, script(id, era, wire)));
    built.guarded(|security| {
        security.principals = WHO.map(|who| (PrincipalId::new(who), Origin::Remote)).to_vec();
        security.approval_ttl = Duration::from_secs(2);
        security.approval_hold = Duration::ZERO;
    })
}

/// One client of the sequence.
struct Actor {
    who: &'static str,
    era: Era,
    client: Client,
    under_way: Vec<(Exchange, Value)>,
}

/// The time in which a principal's messages must not reach a scope.
struct Forbidden {
    who: &'static str,
    server: &'static str,
    /// The tool; `None` for the whole server.
    tool: Option<&'static str>,
    from: Instant,
    until: Option<Instant>,
}

struct Run {
    rng: Rng,
    gateway: Gateway,
    operations: Operations,
    actors: Vec<Actor>,
    /// Participants of a room, who are no clients of MCP.
    room: Room,
    forbidden: Vec<Forbidden>,
    number: u64,
}

impl Run {
    async fn start(seed: u64, folder: &std::path::Path, witness: &Witness) -> Self {
        let disk = Arc::new(store::disk::LocalDisk);
        let gateway = everything()
            .remembering_through(folder, disk, |store| witness.beside(store))
            .await
            .start();
        let operations = operations(&gateway);
        let mut actors = Vec::new();
        for (at, (era, wire)) in WAYS.into_iter().enumerate() {
            let who = WHO[at % WHO.len()];
            let mut capabilities = if at % 2 == 0 { form() } else { json!({}) };
            capabilities["tasks"] = json!({"list": {}, "cancel": {}});
            capabilities["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
            let mut client = gateway.client(era, wire).principal(who).capabilities(capabilities);
            if who == "cyd" {
                operations.create_token(token_of("t-cyd", "cyd")).await.expect("a token");
                client = client.token("t-cyd");
            }
            let under_way = Vec::new();
            let client = client.ready().await;
            actors.push(Actor {
                who,
                era,
                client,
                under_way,
            });
        }
        Self {
            room: Room::open(
                &gateway.kernel,
                [("ann", true), ("bob", false)].map(|(name, has_person)| (Subject::new(Principal::named(name)), has_person)),
            ),
            rng: Rng::with_seed(seed),
            gateway,
            operations,
            actors,
            forbidden: Vec::new(),
            number: 0,
        }
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.rng.usize(..of.len())]
    }

    async fn step(&mut self) {
        match self.rng.u8(..20) {
            0..=9 => self.ask().await,
            10 | 11 => self.say(),
            12..=14 => self.grant().await,
            15 | 16 => self.revoke().await,
            17 => self.operator_decides().await,
            18 => self.reload(),
            _ => {
                let at = self.rng.usize(..self.actors.len());
                self.hear(at).await;
            }
        }
        for at in 0..self.actors.len() {
            self.answer_questions(at).await;
        }
        self.answer_in_the_room();
    }

    /// Has a participant of the room call a tool, or cancel a call.
    fn say(&mut self) {
        let (who, (server, ..), tool) = (self.pick(&WHO[..2]), self.pick(&SERVERS), self.pick(&TOOLS));
        self.number += 1;
        let arguments = json!({"who": who, "n": self.number.to_string()});
        let call = json!({"call": format!("{server}__{tool}"), "arguments": arguments});
        let message = match self.rng.u8(..8) {
            0 => json!({"cancel": self.rng.u64(1..20)}),
            _ => call,
        };
        self.room.say(who, &message);
    }

    fn answer_in_the_room(&mut self) {
        for question in self.room.open_questions() {
            let answer = json!({"answer": question, "with": self.consent()});
            self.room.say("ann", &answer);
        }
    }

    /// Starts a request, by one of the entry points.
    async fn ask(&mut self) {
        let (at, (server, ..), tool) = (self.rng.usize(..self.actors.len()), self.pick(&SERVERS), self.pick(&TOOLS));
        self.number += 1;
        let who = self.actors[at].who;
        let mark = json!({"who": who, "n": self.number.to_string()});
        let uri = format!("test://{server}/{who}");
        let (method, params) = match self.rng.u8(..12) {
            0..=3 => {
                let mut params = json!({"name": format!("{server}__{tool}"), "arguments": mark});
                if tool == "long" && self.rng.bool() {
                    params["task"] = json!({"ttl": 60000});
                }
                ("tools/call".to_owned(), params)
            }
            4 => ("tools/call".to_owned(), json!({"name": tool, "arguments": mark})),
            5 => (
                "prompts/get".to_owned(),
                json!({"name": format!("{server}__greet"), "arguments": mark}),
            ),
            6 => ("resources/read".to_owned(), json!({"uri": uri})),
            7 => (
                self.pick(&["resources/subscribe", "resources/unsubscribe"]).to_owned(),
                json!({"uri": uri}),
            ),
            8 => {
                let reference = json!({"type": "ref/prompt", "name": format!("{server}__greet")});
                (
                    "completion/complete".to_owned(),
                    json!({"ref": reference, "argument": {"name": "a", "value": who}}),
                )
            }
            9 => (
                self.pick(&["tasks/get", "tasks/result", "tasks/cancel"]).to_owned(),
                json!({"taskId": "t1"}),
            ),
            10 => (format!("find{server}/do"), json!({"who": who})),
            _ => {
                let name = self.pick(&["mgp.access.query", "mgp_access_grant", "mgp.permission.decide", "mgp.audit.replay"]);
                let arguments = json!({"entry_type": "server_grant", "agent_id": who, "server_id": server, "permission": "allow"});
                ("tools/call".to_owned(), json!({"name": name, "arguments": arguments}))
            }
        };
        let actor = &mut self.actors[at];
        if self.rng.u8(..10) == 0 {
            let frame = json!({"jsonrpc": "2.0", "method": format!("notifications/find{server}/said"), "params": {"who": who}});
            actor.client.send(frame.to_string()).await;
        }
        let exchange = actor.client.start(&method, params.clone()).await;
        actor.under_way.push((exchange, params));
    }

    fn scope(server: &str, tool: Option<&str>) -> GrantScope {
        let server = ServerId::new(server).expect("a good id");
        match tool {
            Some(name) => GrantScope::Tool(ToolId { server, name: name.into() }),
            None => GrantScope::Server(server),
        }
    }

    /// Allows something, or denies it. What allows ends what was forbidden before it is asked for; a denial begins when it is answered.
    async fn grant(&mut self) {
        let (who, (server, ..)) = (self.pick(&WHO), self.pick(&SERVERS));
        let tool = if self.rng.bool() { Some(self.pick(&TOOLS)) } else { None };
        let denies = self.rng.u8(..4) == 0;
        if !denies {
            self.allowed(who, server, tool);
        }
        let access = if denies { Access::Deny } else { Access::Allow };
        let new = NewGrant {
            confirms: self.rng.bool(),
            scope: Self::scope(server, tool),
            ..grant_of(who, server, access)
        };
        let granted = self.operations.grant(new).await;
        // A denial of a whole server leaves what is granted of single tools (MGP §5.2): only that of a tool is watched.
        if denies && granted.is_ok() && tool.is_some() {
            self.forbid(who, server, tool);
        }
    }

    fn allowed(&mut self, who: &str, server: &str, tool: Option<&str>) {
        let now = Instant::now();
        let theirs =
            |one: &&mut Forbidden| one.who == who && one.server == server && (tool.is_none() || one.tool.is_none() || one.tool == tool);
        for one in self.forbidden.iter_mut().filter(theirs) {
            one.until = one.until.or(Some(now));
        }
    }

    fn forbid(&mut self, who: &'static str, server: &'static str, tool: Option<&'static str>) {
        self.forbidden.push(Forbidden {
            who,
            server,
            tool,
            from: Instant::now(),
            until: None,
        });
    }

    async fn revoke(&mut self) {
        let (who, (server, ..)) = (self.pick(&WHO), self.pick(&SERVERS));
        let tool = if self.rng.bool() { Some(self.pick(&TOOLS)) } else { None };
        if who == "cyd" && self.rng.u8(..8) == 0 {
            if self.operations.revoke_token("t-cyd").await.is_ok() {
                for (server, ..) in SERVERS {
                    // For good: there is no other token.
                    self.forbid(who, server, None);
                }
            }
            return;
        }
        // A revoke that takes a denial away as well may allow.
        self.allowed(who, server, tool);
        if self
            .operations
            .revoke(&PrincipalId::new(who), &Self::scope(server, tool))
            .await
            .is_ok()
        {
            self.settled(who, server);
        }
    }

    /// After a revoke: what is denied by what is left is forbidden from now on.
    fn settled(&mut self, who: &'static str, server: &'static str) {
        let (principal, id) = (PrincipalId::new(who), ServerId::new(server).expect("a good id"));
        for tool in TOOLS {
            if self.operations.access(&principal, &id, Some(tool)).access == Access::Deny {
                self.forbid(who, server, Some(tool));
            }
        }
    }

    async fn operator_decides(&mut self) {
        let waiting = self.operations.approvals();
        if waiting.is_empty() {
            return;
        }
        let one = &waiting[self.rng.usize(..waiting.len())].approval;
        // "Always" is a grant, which would blur what was forbidden: `races` has it.
        let answer = if self.rng.bool() { Answer::Approve } else { Answer::Deny };
        drop(self.operations.decide(&one.request, answer).await);
    }

    fn reload(&mut self) {
        let mut settings = self.gateway.settings.clone();
        let redact = vec![format!("word{}", self.rng.u8(..))];
        settings.security.get_or_insert_default().redact = redact;
        self.gateway.kernel.reload(settings);
    }

    fn consent(&mut self) -> Value {
        let decision = self.pick(&["once", "deny", "maybe"]);
        match self.rng.u8(..6) {
            0 => json!({"action": "decline"}),
            1 => json!({"action": "cancel"}),
            2 => json!({"action": "accept", "content": {"confirmed": true}}),
            _ => json!({"action": "accept", "content": {"decision": decision}}),
        }
    }

    async fn answer_questions(&mut self, at: usize) {
        while let Some(asked) = self.actors[at].client.mailbox().take_now(Arrived::asks) {
            let answer = self.consent();
            let question = asked.message.expect("a question has a message");
            self.actors[at].client.answer(&question, answer).await;
        }
    }

    /// Handles the answer to the oldest request of a client; a request that asks for consent is sent again with an
    /// answer.
    async fn hear(&mut self, at: usize) {
        if self.actors[at].under_way.is_empty() {
            return;
        }
        let (exchange, params) = self.actors[at].under_way.remove(0);
        let reply = loop {
            self.answer_questions(at).await;
            if let Some(arrived) = self.actors[at].client.mailbox().take_now(|arrived| arrived.answers(&exchange.id)) {
                break arrived.message.expect("an answer has a message");
            }
            tokio::task::yield_now().await;
        };
        let Some(result) = reply.result_raw().map(|raw| raw.to_value()) else {
            return;
        };
        if self.actors[at].era == Era::Modern && result["resultType"] == "input_required" {
            let mut again = params;
            again["requestState"] = result["requestState"].clone();
            again["inputResponses"] = json!({"consent": self.consent()});
            let exchange = self.actors[at].client.start("tools/call", again.clone()).await;
            self.actors[at].under_way.push((exchange, again));
        }
    }

    async fn finish(&mut self) {
        for at in 0..self.actors.len() {
            while !self.actors[at].under_way.is_empty() {
                self.hear(at).await;
            }
        }
        self.room.close().await;
        self.gateway.stop().await;
    }
}

/// Returns the name of a message's decision on record: the server's id, and its action.
fn action(server: &str, received: &Received) -> Option<String> {
    let params = received.params();
    let text = |pointer: &str| params.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    match received.message.method()? {
        "prompts/get" => Some(format!("get the prompt {server}/{}", text("/name"))),
        "resources/read" => Some(format!("read {} of {server}", text("/uri"))),
        "resources/subscribe" | "resources/unsubscribe" => Some(format!("subscribe to {} of {server}", text("/uri"))),
        "completion/complete" => Some(format!("complete an argument of {} of {server}", text("/ref/name"))),
        "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/update" => Some(format!("use the task {} of {server}", text("/taskId"))),
        method if method.starts_with("find") => Some(format!("request {method} of {server}")),
        method if method.starts_with("notifications/find") => Some(format!("send {method} to {server}")),
        _ => None,
    }
}

/// Returns the decision that let a message pass, by what it says of itself.
fn admits(event: &Value, server: &str, received: &Received) -> bool {
    if event["event_type"] != "dev.chancery.call_admitted" || event["target"]["server_id"] != server {
        return false;
    }
    match action(server, received) {
        Some(action) => event["details"]["action"] == json!(action),
        None => {
            let params = received.params();
            event["target"]["tool_name"] == params["name"] && event["actor"]["id"] == params["arguments"]["who"]
        }
    }
}

/// Each message needs a decision of its own, stored before it came. Watching a resource is shared: there one is enough for all.
fn nothing_came_unrecorded(gateway: &Gateway, events: &[Kept], seed: u64) -> usize {
    let mut seen = 0;
    for (id, ..) in SERVERS {
        let received = gateway.server(id).received();
        let ours: Vec<&Received> = received
            .iter()
            .filter(|one| one.is("tools/call") || action(id, one).is_some())
            .collect();
        let mut used = vec![false; events.len()];
        for one in ours {
            seen += 1;
            // The record of a notification is deferred: it is only known to be there in the end.
            let is_told = one.message.id().is_none();
            let fits = |(at, (stored, event)): &(usize, &Kept)| (is_told || *stored <= one.at) && !used[*at] && admits(event, id, one);
            let found = events.iter().enumerate().find(fits).map(|(at, _)| at);
            let Some(at) = found else {
                panic!(
                    "seed {seed}: `{id}` received {:?} without a decision that was stored before it",
                    one.message
                );
            };
            let is_shared = one.message.method().is_some_and(|method| method.ends_with("subscribe"));
            used[at] = !is_shared;
        }
        for listen in received.iter().filter(|one| one.is("subscriptions/listen")) {
            let params = listen.params();
            for uri in params["notifications"]["resourceSubscriptions"].as_array().into_iter().flatten() {
                let wanted = json!(format!("subscribe to {} of {id}", uri.as_str().unwrap_or_default()));
                let is_stored = |(stored, event): &Kept| *stored <= listen.at && event["details"]["action"] == wanted;
                assert!(
                    events.iter().any(is_stored),
                    "seed {seed}: `{id}` was asked to watch {uri} without a decision"
                );
            }
        }
    }
    seen
}

fn nothing_came_forbidden(gateway: &Gateway, forbidden: &[Forbidden], seed: u64) {
    for one in forbidden {
        let calls = gateway.server(one.server).received_of("tools/call");
        let meant = calls.iter().filter(|call| {
            let params = call.params();
            params["arguments"]["who"] == one.who && one.tool.is_none_or(|tool| params["name"] == tool)
        });
        for call in meant {
            let is_within = call.at > one.from && one.until.is_none_or(|until| call.at < until);
            assert!(
                !is_within,
                "seed {seed}: `{}` received {:?} after that was taken back",
                one.server, call.message
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_asked_nothing_leaves_without_a_stored_decision_nor_after_a_revoke() {
    let (mut seen, mut forbidden) = (0, 0);
    for seed in 0..CASES {
        let (folder, witness) = (tempfile::tempdir().expect("a folder"), Witness::default());
        let mut run = Run::start(seed, folder.path(), &witness).await;
        for _ in 0..STEPS {
            run.step().await;
        }
        run.finish().await;
        seen += nothing_came_unrecorded(&run.gateway, &witness.events(), seed);
        nothing_came_forbidden(&run.gateway, &run.forbidden, seed);
        forbidden += run.forbidden.len();
    }
    // A sequence in which everything is refused would show nothing.
    assert!(
        seen > 100 && forbidden > 20,
        "{seen} messages and {forbidden} revokes were looked at"
    );
}
