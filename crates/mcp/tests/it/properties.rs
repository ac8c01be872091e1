//! Properties of random schedules: every request is answered exactly once, nothing reaches another client, nothing panics, nothing stays.
//!
//! A failure names its seed; `SEED=n` plays that schedule alone.

use std::collections::{BTreeMap, HashMap};

use jsonrpc::{Id, Kind, Message, Raw};
use mcp::revision::{Era, Revision};
use model::Ticket;

use crate::pair::{Pair, Sent};
use crate::random::Random;
use crate::words::{message, raw};

/// Steps of one schedule.
pub(crate) const STEPS: usize = 160;

pub(crate) fn seeds(schedules: u64) -> std::ops::Range<u64> {
    let only = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok());
    only.map_or(0..schedules, |seed| seed..seed + 1)
}

/// One schedule: clients and a server that send at random, over wires that lose, repeat and reorder.
struct World {
    seed: u64,
    random: Random,
    pair: Pair,
    era: Era,
    clients: Vec<Client>,
    /// On their way to the gateway.
    to_gateway: Vec<(usize, Message)>,
    from_server: Vec<(Message, Option<Ticket>)>,
    /// Requests that have reached the server and that it has not answered: id, method, tag, progress token.
    open: Vec<Open>,
    asked: u64,
    /// The server's questions: how often each id came in, and how often it was answered or taken back.
    questions: BTreeMap<String, (usize, usize)>,
}

#[derive(Clone)]
struct Open {
    id: String,
    method: String,
    tag: String,
    token: Option<String>,
}

struct Client {
    revision: Revision,
    sent: u64,
    /// By id: how often a request came in, and how often it was answered.
    requests: HashMap<String, (usize, usize)>,
    /// The tags that were sent under an id.
    tags: HashMap<String, Vec<String>>,
}

const METHODS_CALLED: [&str; 5] = [
    "tools/call",
    "resources/read",
    "prompts/get",
    "completion/complete",
    "com.example/do",
];

impl World {
    fn new(seed: u64, clients: usize) -> Self {
        let mut random = Random::new(seed);
        let revision = *random.of(&Revision::ALL);
        let mut pair = Pair::new(revision);
        let mut new_client = |pair: &mut Pair| {
            let number = pair.add_client();
            let revision = *random.of(&Revision::ALL);
            if revision.era() == Era::Legacy {
                let hello = format!(
                    r#"{{"id":0,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{"roots":{{}},"sampling":{{}},"elicitation":{{}}}}}}}}"#
                );
                pair.client_says(number, message(&hello));
            }
            Client {
                revision,
                sent: 0,
                requests: HashMap::new(),
                tags: HashMap::new(),
            }
        };
        let clients = (0..clients).map(|_| new_client(&mut pair)).collect();
        drop(pair.sent());
        Self {
            seed,
            random,
            era: revision.era(),
            pair,
            clients,
            to_gateway: Vec::new(),
            from_server: Vec::new(),
            open: Vec::new(),
            asked: 0,
            questions: BTreeMap::new(),
        }
    }

    fn step(&mut self) {
        match self.random.below(10) {
            0..=2 => self.client_sends(),
            3 => self.client_cancels(),
            4..=5 => self.server_speaks(),
            6..=7 => self.deliver_to_gateway(),
            _ => self.deliver_from_server(),
        }
        self.collect();
    }

    // === clients

    fn client_sends(&mut self) {
        let client = self.random.below(self.clients.len());
        let number = self.clients[client].sent;
        self.clients[client].sent += 1;
        // Every client uses the same ids and tokens: only the gateway keeps them apart.
        let id = id_of(number);
        let tag = format!("{client}-{number}-{}", self.random.below(1000));
        let method = *self.random.of(&METHODS_CALLED);
        let mut meta = Vec::new();
        if self.random.one_in(2) {
            meta.push(format!(r#""progressToken":{id}"#));
        }
        if self.clients[client].revision.era() == Era::Modern {
            meta.push(r#""§protocolVersion":"2026-07-28","§clientCapabilities":{"roots":{},"sampling":{},"elicitation":{}}"#.to_owned());
            if self.random.one_in(2) {
                meta.push(r#""§logLevel":"info""#.to_owned());
            }
        }
        let text = format!(
            r#"{{"id":{id},"method":"{method}","params":{{"tag":"{tag}","_meta":{{{}}}}}}}"#,
            meta.join(",")
        );
        self.send(client, &text);
        let key = key(&raw(&id));
        self.clients[client].tags.entry(key).or_default().push(tag);
    }

    fn send(&mut self, client: usize, text: &str) {
        if self.random.one_in(12) {
            return;
        }
        self.to_gateway.push((client, message(text)));
        if self.random.one_in(12) {
            self.to_gateway.push((client, message(text)));
        }
    }

    fn client_cancels(&mut self) {
        let client = self.random.below(self.clients.len());
        let sent = usize::try_from(self.clients[client].sent).expect("few");
        if sent == 0 {
            return;
        }
        let id = id_of(u64::try_from(self.random.below(sent + 1)).expect("few"));
        self.send(
            client,
            &format!(r#"{{"method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#),
        );
    }

    fn deliver_to_gateway(&mut self) {
        if self.to_gateway.is_empty() {
            return;
        }
        let at = self.random.below(self.to_gateway.len());
        let (client, message) = self.to_gateway.remove(at);
        if message.kind() == Kind::Request {
            let id = key(message.id().expect("an id").raw());
            self.clients[client].requests.entry(id).or_default().0 += 1;
        }
        self.pair.client_says(client, message);
    }

    // === the server

    fn server_speaks(&mut self) {
        let Some(at) = (!self.open.is_empty()).then(|| self.random.below(self.open.len())) else {
            return self.server_says(r#"{"id":424242,"result":{}}"#, None);
        };
        let open = self.open[at].clone();
        let (id, tag) = (&open.id, &open.tag);
        let via = Some(Ticket(id.parse().expect("our ids are integers")));
        match self.random.below(12) {
            0..=3 => {
                self.server_says(&format!(r#"{{"id":{id},"result":{{"tag":"{tag}"}}}}"#), via);
                self.open.remove(at);
            }
            4 => {
                self.server_says(
                    &format!(r#"{{"id":{id},"error":{{"code":-32000,"message":"m","data":{{"tag":"{tag}"}}}}}}"#),
                    via,
                );
                self.open.remove(at);
            }
            5 => self.server_says(r#"{"id":null,"error":{"code":-32700,"message":"what?"}}"#, via),
            6 => self.server_says(&format!(r#"{{"id":"{id}","result":{{"tag":"{tag}"}}}}"#), via),
            7 => {
                if let Some(token) = &open.token {
                    let progress = r#"{"method":"notifications/progress","params":{"progressToken":TOKEN,"progress":1,"tag":"TAG"}}"#;
                    self.server_says(&progress.replace("TOKEN", token).replace("TAG", tag), via);
                }
            }
            8 => self.server_says(
                &format!(r#"{{"method":"notifications/message","params":{{"level":"info","data":1,"tag":"{tag}"}}}}"#),
                via,
            ),
            9 => self.server_says(r#"{"method":"notifications/tools/list_changed"}"#, None),
            10 if self.era == Era::Modern && open.method != "com.example/do" => {
                let asks = format!(
                    r#"{{"id":{id},"result":{{"resultType":"input_required","tag":"{tag}","requestState":"s","inputRequests":{{"k":{{"method":"sampling/createMessage","params":{{"tag":"{tag}"}}}}}}}}}}"#
                );
                self.server_says(&asks, via);
                self.open.remove(at);
            }
            _ => self.server_asks(tag, via),
        }
    }

    fn server_asks(&mut self, tag: &str, via: Option<Ticket>) {
        if self.asked > 0 && self.random.one_in(4) {
            let id = self.random.below(usize::try_from(self.asked).expect("few"));
            return self.server_says(
                &format!(r#"{{"method":"notifications/cancelled","params":{{"requestId":"q{id}"}}}}"#),
                None,
            );
        }
        let id = self.asked;
        self.asked += 1;
        let question = format!(r#"{{"id":"q{id}","method":"sampling/createMessage","params":{{"tag":"{tag}"}}}}"#);
        self.server_says(&question, via);
    }

    fn server_says(&mut self, text: &str, via: Option<Ticket>) {
        if self.random.one_in(12) {
            return;
        }
        self.from_server.push((message(text), via));
        if self.random.one_in(12) {
            self.from_server.push((message(text), via));
        }
    }

    fn deliver_from_server(&mut self) {
        if self.from_server.is_empty() {
            return;
        }
        let at = self.random.below(self.from_server.len());
        let (message, via) = self.from_server.remove(at);
        if message.kind() == Kind::Request && self.era == Era::Legacy {
            self.questions.entry(key(message.id().expect("an id").raw())).or_default().0 += 1;
        }
        self.pair.server_says(message, via);
    }

    // === what comes out

    fn collect(&mut self) {
        for sent in self.pair.sent() {
            match sent {
                Sent::Client(client, message) => self.reached_client(client, &message),
                Sent::Server(message) => self.reached_server(&message),
                Sent::Stray(_) => {}
            }
        }
    }

    fn reached_client(&mut self, client: usize, message: &Message) {
        let seed = self.seed;
        if let Some(tag) = tag_of(message) {
            assert!(
                tag.starts_with(&format!("{client}-")),
                "seed {seed}: {tag} reached client {client}: {message:?}"
            );
        }
        match message.kind() {
            Kind::Response => {
                let id = key(message.id().expect("answers have the request's id").raw());
                let (asked, answered) = self.clients[client].requests.get_mut(&id).expect("a client asked");
                *answered += 1;
                assert!(answered <= asked, "seed {seed}: answered more often than asked: {message:?}");
                if let Some(tag) = tag_of(message) {
                    let tags = &self.clients[client].tags[&id];
                    assert!(tags.contains(&tag), "seed {seed}: the answer to another request: {message:?}");
                }
                self.maybe_retry(client, message);
            }
            Kind::Request => {
                let id = message.id().expect("questions have ids").raw().text();
                let tag = tag_of(message).expect("questions are tagged");
                match self.random.below(4) {
                    0 => {}
                    1 => self.send(client, &format!(r#"{{"id":{id},"error":{{"code":-1,"message":"no"}}}}"#)),
                    _ => self.send(client, &format!(r#"{{"id":{id},"result":{{"tag":"{tag}"}}}}"#)),
                }
            }
            Kind::Notification => {
                if let Some(token) = message.params().and_then(|params| params.get("progressToken")) {
                    let tag = tag_of(message).expect("progress is tagged");
                    let tags = &self.clients[client].tags[&key(&token)];
                    assert!(tags.contains(&tag), "seed {seed}: the progress of another request: {message:?}");
                }
            }
        }
    }

    /// A modern client answers what it was asked in a result, mostly.
    fn maybe_retry(&mut self, client: usize, message: &Message) {
        let Some(result) = message.result_raw() else { return };
        let Some(state) = result.get("requestState").filter(|_| !self.random.one_in(3)) else {
            return;
        };
        let Some(asked) = result.get("inputRequests").and_then(|requests| requests.object().ok()) else {
            return;
        };
        let (question, request) = asked.iter().next().expect("one question");
        let tag = request.at(&["params", "tag"]).expect("a tag");
        let number = self.clients[client].sent;
        self.clients[client].sent += 1;
        let id = id_of(number);
        let text = format!(
            r#"{{"id":{id},"method":"tools/call","params":{{"tag":{},"inputResponses":{{"{question}":{{"tag":{}}}}},"requestState":{},"_meta":{{"§protocolVersion":"2026-07-28","§clientCapabilities":{{"sampling":{{}}}}}}}}}}"#,
            tag.text(),
            tag.text(),
            state.text()
        );
        let tag = tag.as_str().expect("text").into_owned();
        self.clients[client].tags.entry(key(&raw(&id))).or_default().push(tag);
        self.send(client, &text);
    }

    fn reached_server(&mut self, message: &Message) {
        match message.kind() {
            Kind::Request => {
                let params = message.params().expect("params");
                let token = params.at(&["_meta", "progressToken"]);
                self.open.push(Open {
                    id: message.id().expect("an id").raw().text().to_owned(),
                    method: message.method().expect("a method").to_owned(),
                    tag: params.get("tag").and_then(|tag| tag.as_str().map(Into::into)).expect("a tag"),
                    token: token.map(|token| token.text().to_owned()),
                });
            }
            Kind::Response => {
                let id = key(message.id().expect("an id").raw());
                let (asked, answered) = self.questions.get_mut(&id).expect("the server asked");
                *answered += 1;
                assert!(answered <= asked, "seed {}: a question answered twice: {message:?}", self.seed);
            }
            Kind::Notification => {
                let cancelled = message.params().and_then(|params| params.get("requestId"));
                // A server stops what is cancelled, or does not.
                if let Some(id) = cancelled.filter(|_| self.random.one_in(2)) {
                    self.open.retain(|open| open.id != id.text());
                }
            }
        }
    }

    /// Everything that is under way comes to its end.
    fn end(mut self) {
        let seed = self.seed;
        while !self.to_gateway.is_empty() || !self.from_server.is_empty() {
            self.deliver_to_gateway();
            self.collect();
            self.deliver_from_server();
            self.collect();
        }
        self.pair.time_out();
        self.collect();
        for client in 0..self.clients.len() {
            let cancelled = self.pair.cancelled(client);
            let open = self.clients[client]
                .requests
                .values()
                .map(|(asked, answered)| asked - answered)
                .sum::<usize>();
            // A round of questions is still open where a legacy client has not answered: its requests end when it goes.
            self.pair.hang_up(client);
            let ended = self.pair.cancelled(client) - cancelled;
            self.collect();
            assert_eq!(open, cancelled + ended, "seed {seed}: client {client}: requests without an answer");
        }
        assert_eq!(self.pair.remembered(), 0, "seed {seed}: something stays");
    }
}

/// Ids of both kinds.
fn id_of(number: u64) -> String {
    if number.is_multiple_of(3) {
        format!(r#""{number}""#)
    } else {
        number.to_string()
    }
}

fn key(id: &Raw) -> String {
    let id = Id::parse(id).expect("an id");
    id.raw()
        .as_str()
        .map_or_else(|| id.raw().text().to_owned(), |text| format!("\"{text}\""))
}

/// For whom a message is, by the tag that goes round with its request.
fn tag_of(message: &Message) -> Option<String> {
    let part = message.result_raw().or_else(|| message.params());
    let part = part.or_else(|| message.error_raw().and_then(|error| error.get("data")))?;
    part.get("tag").and_then(|tag| tag.as_str().map(Into::into))
}

#[test]
fn every_request_is_answered_once_and_to_its_own_client() {
    for seed in seeds(200) {
        let mut world = World::new(seed, 3);
        for _ in 0..STEPS {
            world.step();
        }
        world.end();
    }
}

#[test]
fn one_client_alone() {
    for seed in seeds(200) {
        let mut world = World::new(seed ^ 0xa5a5, 1);
        for _ in 0..STEPS {
            world.step();
        }
        world.end();
    }
}
