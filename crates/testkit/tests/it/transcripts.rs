//! Differential transcripts: what a peer says arrives at the other byte for byte, wherever no rule applies.
//!
//! Modulo the id and the progress token, which are the connection's own, and the name of a tool that was renamed. Seeded: `SOAK_SEED` repeats a run.

use jsonrpc::{Change, Id, Limits, Message, Raw};
use serde_json::json;
use testkit::{Client, Era, Received, Script, Scripted, Step, Wire, gateway};

use crate::{WAYS, WIRES, form, pairs};

const ROUNDS: usize = 60;

fn seed() -> u64 {
    std::env::var("SOAK_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(20_261_120)
}

/// Random JSON text as peers may write it: any spacing, any spelling of numbers and strings.
struct Writer(fastrand::Rng);

impl Writer {
    fn space(&mut self) -> &'static str {
        self.0.choice(&["", "", "", "", " ", "\t", "  "]).expect("some")
    }

    fn number(&mut self) -> String {
        const NUMBERS: [&str; 12] = [
            "0",
            "-0",
            "1.0",
            "1e400",
            "-1.5E-7",
            "123456789012345678901234567890",
            "0.1000000000000000055511151231257827",
            "9007199254740993",
            "1E+2",
            "-9223372036854775809",
            "18446744073709551616",
            "3.14",
        ];
        (*self.0.choice(&NUMBERS).expect("some")).to_owned()
    }

    fn string(&mut self) -> String {
        const PARTS: [&str; 14] = [
            "a",
            "Z",
            "é",
            "😀",
            r"\u0041",
            r"\ud800",
            r"\udc00x",
            r"\ud83d\ude00",
            r"\/",
            "/",
            r#"\""#,
            r"\\",
            r"\n",
            r"\u0000",
        ];
        let parts: String = (0..self.0.usize(0..6)).map(|_| *self.0.choice(&PARTS).expect("some")).collect();
        format!("\"{parts}\"")
    }

    fn value(&mut self, depth: usize) -> String {
        match self.0.usize(0..if depth == 0 { 5 } else { 7 }) {
            0 => self.number(),
            1 | 2 => self.string(),
            3 => "null".to_owned(),
            4 => (if self.0.bool() { "true" } else { "false" }).to_owned(),
            5 => {
                let items: Vec<String> = (0..self.0.usize(0..4)).map(|_| self.value(depth - 1)).collect();
                format!("[{}{}]", self.space(), items.join(&format!("{},", self.space())))
            }
            _ => self.object(depth - 1, Vec::new()),
        }
    }

    /// Returns an object with these members among random others, in a random order. Keys are unique, as they must be where rules read.
    fn object(&mut self, depth: usize, members: Vec<(&str, String)>) -> String {
        let mut all: Vec<(String, String)> = members.into_iter().map(|(key, value)| (format!("\"{key}\""), value)).collect();
        for number in 0..self.0.usize(0..4) {
            let odd = *self.0.choice(&["x-", "com.example/", r"\u0078", "é", ""]).expect("some");
            all.push((format!("\"{odd}{number}~\""), self.value(depth)));
        }
        self.0.shuffle(&mut all);
        let mut text = String::from("{");
        for (index, (key, value)) in all.iter().enumerate() {
            let (before, after, colon) = (self.space(), self.space(), self.space());
            text.push_str(if index > 0 { "," } else { "" });
            text.push_str(&format!("{before}{key}{after}:{colon}{value}"));
        }
        text.push_str(self.space());
        text + "}"
    }

    fn token(&mut self) -> String {
        if self.0.bool() {
            self.0.u32(..).to_string()
        } else {
            format!("\"t{}\\u0041\"", self.0.u32(..))
        }
    }
}

/// Returns the message with everything that is the connection's own put to the same.
fn plain(message: &Message) -> String {
    let zero = Id::number(0);
    let mut same = message.clone();
    if let Some(params) = message.params() {
        let mut params = params;
        for path in [&["_meta", "progressToken"][..], &["progressToken"][..]] {
            if params.at(path).is_some() {
                params = params.edit().set(path, &Raw::uint(0)).finish();
            }
        }
        same = same.with(Change {
            params: Some(&params),
            ..Change::default()
        });
    }
    if same.id().is_some() {
        same = same.with(Change {
            id: Some(&zero),
            ..Change::default()
        });
    }
    String::from_utf8(same.bytes().to_vec()).expect("text")
}

fn read(text: &str) -> Message {
    jsonrpc::decode_message(text.to_owned(), &Limits::default()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Returns a peer that does whatever the arguments of its tool say, in the spelling of the arguments.
fn puppet(era: Era, wire: Wire) -> Script {
    let result = r#"{"extra":$extra,"jsonrpc":"2.0","result":$result,"id":$id}"#;
    let progress = r#"{"jsonrpc":"2.0","extra":$extra,"params":$progress,"method":"notifications/progress"}"#;
    let log = r#"{"method":"notifications/message","jsonrpc":"2.0","params":$log}"#;
    let told = vec![Step::send(log), Step::send(progress), Step::send(result)];
    let mut asked = told.clone();
    asked.insert(1, Step::ask("elicitation/create", "$question"));
    Script::of(era)
        .over_http(wire == Wire::Http)
        .capabilities(json!({"tools": {}, "prompts": {}, "resources": {}, "logging": {}}))
        .tool("plain", vec![Step::send(result)])
        .tool(
            "failing",
            vec![Step::send(r#"{"jsonrpc":"2.0","error":$error,"id":$id, "extra":$extra}"#)],
        )
        .tool("told", told)
        .tool("asked", asked)
        .prompt("prompt", vec![Step::send(result)])
        .resource("test://one", vec![Step::send(result)])
}

fn renamed(era: Era, wire: Wire) -> Script {
    let result = r#"{"extra":$extra,"jsonrpc":"2.0","result":$result,"id":$id}"#;
    Script::of(era)
        .over_http(wire == Wire::Http)
        .tool("plain", vec![Step::send(result)])
}

struct Way {
    era: Era,
    wire: Wire,
    client: Client,
    writer: Writer,
}

impl Way {
    fn meta(&mut self, token: Option<&str>) -> String {
        let mut members = Vec::new();
        if self.era == Era::Modern {
            members.push(("io.modelcontextprotocol/protocolVersion", "\"2026-07-28\"".to_owned()));
            members.push((
                "io.modelcontextprotocol/clientCapabilities",
                self.writer.object(1, vec![("elicitation", "{}".to_owned())]),
            ));
            members.push(("io.modelcontextprotocol/logLevel", "\"debug\"".to_owned()));
        }
        members.extend(token.map(|token| ("progressToken", token.to_owned())));
        self.writer.object(1, members)
    }

    /// Returns a request of these params, written at random, and its id.
    fn request(&mut self, method: &str, mut params: Vec<(&str, String)>, token: Option<&str>) -> (Id, String) {
        params.push(("_meta", self.meta(token)));
        let params = self.writer.object(2, params);
        let id = self.writer.0.u64(..1 << 53);
        let members = vec![
            ("jsonrpc", "\"2.0\"".to_owned()),
            ("id", id.to_string()),
            ("method", format!("\"{method}\"")),
            ("params", params),
        ];
        (Id::number(id), self.writer.object(1, members))
    }

    fn result(&mut self) -> String {
        let mut members = vec![("content", "[]".to_owned())];
        if self.era == Era::Modern {
            members.push(("resultType", "\"complete\"".to_owned()));
        }
        self.writer.object(3, members)
    }
}

/// Answers the server's question, which has to arrive as it was sent; so has the answer.
async fn answer_question(way: &mut Way, upstream: &Scripted, before: usize, question: &str, at: &str) {
    let asked = way.client.question().await;
    assert_eq!(asked.params().expect("params").text(), question, "{at}: the question");
    let content = way.writer.object(2, vec![("action", "\"decline\"".to_owned())]);
    let number = asked.id().expect("an id").raw().text().to_owned();
    let members = vec![("jsonrpc", "\"2.0\"".to_owned()), ("id", number), ("result", content)];
    let answer = way.writer.object(1, members);
    way.client.send(answer.clone()).await;
    let is_answer = |received: &Received| received.message.method().is_none();
    upstream
        .until("the answer to the question", |server| {
            server.received()[before..].iter().any(is_answer)
        })
        .await;
    let received = upstream.received();
    let arrived = received[before..].iter().find(|received| is_answer(received)).expect("it came");
    assert_eq!(plain(&arrived.message), plain(&read(&answer)), "{at}: the answer to the question");
}

/// Takes the log message, which has to arrive as it was sent.
async fn hear_log(way: &Way, log: &str, at: &str) {
    let mailbox = way.client.mailbox();
    let heard = mailbox
        .take(&format!("{at}: the log message"), |arrived| arrived.calls("notifications/message"))
        .await;
    let heard = heard.message.expect("a message");
    let expected = format!(r#"{{"method":"notifications/message","jsonrpc":"2.0","params":{log}}}"#);
    assert_eq!(String::from_utf8_lossy(heard.bytes()), expected, "{at}: the log message");
}

async fn compare(client_way: (Era, Wire), server_wire: Wire) {
    let (era, wire) = client_way;
    let gateway = gateway()
        .upstream("puppet", puppet(era, server_wire))
        .upstream_with("renamed", renamed(era, server_wire), |spec| spec.prefix = true)
        .start();
    let client = gateway.client(era, wire).capabilities(form()).connect().await;
    assert!(client.tools().await.contains(&"plain".to_owned()));
    let seed = seed();
    let mut way = Way {
        era,
        wire,
        client,
        writer: Writer(fastrand::Rng::with_seed(seed)),
    };
    for round in 0..ROUNDS {
        let at = format!("SOAK_SEED={seed}, round {round}, {era:?} {:?} to {server_wire:?}", way.wire);
        let kinds: &[&str] = match era {
            Era::Legacy => &["plain", "failing", "told", "asked", "renamed__plain", "prompt", "resource"],
            Era::Modern => &["plain", "failing", "told", "renamed__plain"],
        };
        let kind = *way.writer.0.choice(kinds).expect("some");
        let token = way.writer.token();
        let (result, extra) = (way.result(), way.writer.value(2));
        let error = way
            .writer
            .object(2, vec![("code", "-32001".to_owned()), ("message", "\"no\"".to_owned())]);
        let log = way
            .writer
            .object(2, vec![("level", "\"error\"".to_owned()), ("data", "1.0".to_owned())]);
        let progress = way
            .writer
            .object(2, vec![("progressToken", "0".to_owned()), ("progress", "1.0".to_owned())]);
        let question = way.writer.object(
            2,
            vec![
                ("message", "\"?\"".to_owned()),
                ("requestedSchema", r#"{"type":"object","properties":{}}"#.to_owned()),
            ],
        );
        let said = [
            ("result", &result),
            ("extra", &extra),
            ("error", &error),
            ("log", &log),
            ("question", &question),
        ];
        let mut arguments: Vec<(&str, String)> = said.iter().map(|(key, value)| (*key, (*value).clone())).collect();
        // The script puts the token in its place; the rest of the object is as it was written.
        let token_less = progress.replacen(r#""progressToken":0"#, r#""progressToken":$token"#, 1);
        let tokened = progress != token_less;
        arguments.push(("progress", progress.clone()));
        let arguments = way.writer.object(3, arguments);
        if matches!(kind, "told" | "asked") && !tokened {
            // Spaces stand where the token would have to be put: another round.
            continue;
        }
        let (method, target) = match kind {
            "prompt" => ("prompts/get", ("name", "\"prompt\"".to_owned())),
            "resource" => ("resources/read", ("uri", "\"test://one\"".to_owned())),
            tool => ("tools/call", ("name", format!("\"{tool}\""))),
        };
        // Where the target has no duplicate, arguments are what the script reads.
        let (id, frame) = way.request(method, vec![target, ("arguments", arguments)], Some(&token));
        let upstream = gateway.server(if kind.starts_with("renamed") { "renamed" } else { "puppet" });
        let before = upstream.received().len();
        way.client.send(frame.clone()).await;

        if kind == "asked" {
            answer_question(&mut way, upstream, before, &question, &at).await;
        }
        let answered = way.client.mailbox().take("the answer", |arrived| arrived.answers(&id)).await;
        let answered = answered.message.expect("a message");

        let received = upstream.received();
        let request = received[before..].iter().find(|r| r.is(method));
        let request = request
            .unwrap_or_else(|| panic!("{at}: {frame} was answered {:?}", answered.bytes()))
            .message
            .clone();
        let sent = read(&frame.replacen("\"renamed__plain\"", "\"plain\"", 1));
        assert_eq!(plain(&request), plain(&sent), "{at}: the request");
        assert!(
            request.params().and_then(|params| params.at(&["_meta", "progressToken"])).is_some(),
            "{at}"
        );

        let expected = match kind {
            "failing" => format!(r#"{{"jsonrpc":"2.0","error":{error},"id":{}, "extra":{extra}}}"#, id.raw().text()),
            _ => format!(r#"{{"extra":{extra},"jsonrpc":"2.0","result":{result},"id":{}}}"#, id.raw().text()),
        };
        assert_eq!(String::from_utf8_lossy(answered.bytes()), expected, "{at}: the answer");
        if matches!(kind, "told" | "asked") {
            hear_log(&way, &log, &at).await;
        }
        way.client.mailbox().drain();
    }
    gateway.stop().await;
}

#[tokio::test]
async fn same_era_messages_come_through_byte_for_byte() {
    for (way, server_wire) in pairs(WAYS, WIRES) {
        compare(way, server_wire).await;
    }
}

#[tokio::test]
async fn progress_comes_through_under_the_clients_own_token() {
    let mut writer = Writer(fastrand::Rng::with_seed(seed()));
    for (way, server_wire) in pairs(WAYS, WIRES) {
        let progress =
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"a":$extra,"progressToken":$token,"progress":1.0,"b":$extra}}"#;
        let script = Script::of(way.0).over_http(server_wire == Wire::Http).tool(
            "work",
            [
                Step::send(progress),
                Step::send(progress),
                Step::answer(r#"{"resultType":"complete","content":[]}"#),
            ],
        );
        let gateway = gateway().upstream("working", script).start();
        let client = gateway.client(way.0, way.1).ready().await;
        for _ in 0..20 {
            let (token, extra) = (writer.token(), writer.value(3));
            let params = format!(r#"{{"name":"work","arguments":{{"extra":{extra}}},"_meta":{{"progressToken":{token}}}}}"#);
            let call = client.send_request("tools/call", Some(params)).await;
            for _ in 0..2 {
                let heard = client.notification("notifications/progress").await;
                let expected = format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"a":{extra},"progressToken":{token},"progress":1.0,"b":{extra}}}}}"#
                );
                assert_eq!(String::from_utf8_lossy(heard.bytes()), expected, "{way:?} to {server_wire:?}");
            }
            assert!(!client.reply(&call).await.is_error());
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn definitions_in_lists_come_through_byte_for_byte() {
    let mut writer = Writer(fastrand::Rng::with_seed(seed()));
    for way in WAYS {
        let mut tools = Vec::new();
        for number in 0..30 {
            let schema = writer.object(3, vec![("type", "\"object\"".to_owned())]);
            let members = vec![("name", format!("\"tool-{number:02}\"")), ("inputSchema", schema)];
            tools.push(writer.object(3, members));
        }
        let page = |range: std::ops::Range<usize>, next: &str| {
            format!(
                r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{}]{next}}}"#,
                tools[range].join(",")
            )
        };
        let script = Script::of(way.0)
            .over_http(way.1 == Wire::Http)
            .on("tools/list", [Step::answer(page(0..30, ""))]);
        let gateway = gateway()
            .upstream("puppet", script)
            .settings(|settings| settings.page_size = 7)
            .start();
        let client = gateway.client(way.0, way.1).connect().await;
        let mut listed: Vec<String> = Vec::new();
        let mut params = json!({});
        loop {
            let reply = client.request("tools/list", params).await;
            let result = reply.message.result_raw().expect("a result");
            let items = result.get("tools").expect("tools").items();
            assert!(items.len() <= 7);
            listed.extend(items.iter().map(|item| item.text().to_owned()));
            let Some(cursor) = result.get("nextCursor") else { break };
            params = json!({"cursor": cursor.to_value()});
        }
        listed.sort_by_key(|item| read_name(item));
        assert_eq!(listed, tools, "{way:?}");
        gateway.stop().await;
    }
}

fn read_name(item: &str) -> String {
    let item = Raw::parse(item.to_owned(), &Limits::default()).expect("JSON");
    item.get("name")
        .and_then(|name| name.as_str().map(std::borrow::Cow::into_owned))
        .unwrap_or_default()
}

/// Lone surrogates are no text of any language, but some peers send them.
#[tokio::test]
async fn lone_surrogates_in_names_and_arguments_do_no_harm() {
    for way in WAYS {
        let gateway = gateway().upstream("puppet", puppet(way.0, Wire::Pipe)).start();
        let client = gateway.client(way.0, way.1).ready().await;
        let call = client
            .send_request("tools/call", Some(r#"{"name":"\ud800","arguments":{}}"#.to_owned()))
            .await;
        assert!(client.reply(&call).await.is_error());
        let params = r#"{"name":"\u0070lain","arguments":{"result":{"resultType":"complete","\ud800":"\udfff"},"extra":1}}"#;
        let call = client.send_request("tools/call", Some(params.to_owned())).await;
        let reply = client.reply(&call).await;
        assert_eq!(
            reply.message.result_raw().expect("a result").text(),
            r#"{"resultType":"complete","\ud800":"\udfff"}"#,
            "{way:?}"
        );
        gateway.stop().await;
    }
}
