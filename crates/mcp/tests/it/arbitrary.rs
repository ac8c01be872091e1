//! Arbitrary messages, and more of them than there is room for: nothing panics, and the machines' tables stay bounded.

use jsonrpc::{Kind, Message};
use mcp::client::{self, Arrival, Input};
use mcp::method::METHODS;
use mcp::revision::{Era, Revision};
use mcp::server;
use model::Ticket;

use crate::properties::{STEPS, seeds};
use crate::random::Random;
use crate::server_face::hello;
use crate::words::{long, message};

const VALUES: [&str; 14] = [
    "null",
    "true",
    "0",
    "1",
    "2",
    "-1",
    "1.5",
    "123456789012345678901234567890",
    r#""""#,
    r#""a""#,
    r#""\ud800""#,
    "{}",
    "[]",
    r#"{"a":[1,{"b":"c"}]}"#,
];

const KEYS: [&str; 20] = [
    "_meta",
    "name",
    "uri",
    "arguments",
    "progressToken",
    "requestId",
    "level",
    "taskId",
    "notifications",
    "protocolVersion",
    "capabilities",
    "clientInfo",
    "inputResponses",
    "requestState",
    "resultType",
    "inputRequests",
    "supportedVersions",
    "§protocolVersion",
    "§clientCapabilities",
    "§subscriptionId",
];

fn arbitrary_value(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.one_in(3) {
        let versions = Revision::ALL.map(|revision| format!("\"{revision}\""));
        return if random.one_in(5) {
            random.of(&versions).clone()
        } else {
            (*random.of(&VALUES)).to_owned()
        };
    }
    let members: Vec<String> = (0..random.below(5))
        .map(|_| format!("\"{}\":{}", random.of(&KEYS), arbitrary_value(random, depth - 1)))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// Something that `jsonrpc` takes for a message.
fn arbitrary_message(random: &mut Random) -> Message {
    loop {
        let mut members = vec![r#""jsonrpc":"2.0""#.to_owned()];
        if random.one_in(2) {
            members.push(format!(r#""id":{}"#, random.of(&VALUES)));
        }
        match random.below(4) {
            0 => members.push(format!(r#""result":{}"#, arbitrary_value(random, 3))),
            1 => members.push(format!(r#""error":{}"#, arbitrary_value(random, 2))),
            _ => members.push(format!(r#""method":"{}""#, random.of(METHODS).name)),
        }
        let mut params = arbitrary_value(random, 3);
        if random.one_in(2) {
            params = format!(
                r#"{{"_meta":{{"§protocolVersion":"2026-07-28","§clientCapabilities":{}}},"notifications":{}}}"#,
                arbitrary_value(random, 1),
                arbitrary_value(random, 1)
            );
        }
        members.push(format!(r#""params":{params}"#));
        let text = long(&format!("{{{}}}", members.join(",")));
        if let Ok(message) = jsonrpc::decode_message(text, &jsonrpc::Limits::default()) {
            return message;
        }
    }
}

#[test]
fn no_message_panics_a_client_face() {
    for seed in seeds(60) {
        let mut random = Random::new(seed);
        let mut face = client::Session::new();
        if random.one_in(2) {
            let hello = r#"{"id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}}"#;
            face.handle(Input::Message(message(hello), Arrival::default()));
        }
        for _ in 0..STEPS {
            let ticket = Ticket(u64::try_from(random.below(20)).expect("few"));
            let message = arbitrary_message(&mut random);
            match random.below(8) {
                0 => face.handle(Input::Interim(ticket, message)),
                1 => face.handle(Input::Event(message)),
                2 if message.kind() == Kind::Request => face.handle(Input::Ask {
                    ask: ticket,
                    related: random.one_in(2).then_some(ticket),
                    message,
                }),
                3 => face.notify_listener(ticket, &message),
                _ => face.handle(Input::Message(message, Arrival::default())),
            }
            while face.poll().is_some() {}
        }
        face.hang_up();
        assert_eq!((face.in_flight(), face.asked()), (0, 0), "seed {seed}");
    }
}

#[test]
fn no_message_panics_a_server_face() {
    for seed in seeds(60) {
        let mut random = Random::new(seed);
        let mut face = server::Session::new(if random.one_in(2) { Era::Legacy } else { Era::Modern });
        face.hello(&hello("{}")).expect("a new connection");
        for _ in 0..STEPS {
            let via = random.one_in(2).then(|| Ticket(u64::try_from(random.below(20)).expect("few")));
            match random.below(6) {
                0 => {
                    let revision = *random.of(&Revision::ALL);
                    let meta = if revision.is_modern() { "@modern" } else { "" };
                    let text = format!(r#"{{"id":1,"method":"tools/call","params":{{"name":"n","_meta":{{{meta}}}}}}}"#);
                    drop(face.call(&crate::server_face::request(revision, "{}", None, &text)));
                }
                1 => face.cancel(via.unwrap_or(Ticket(2)), None, true),
                2 => face.answer(via.unwrap_or(Ticket(2)), Ok(arbitrary_message(&mut random))),
                _ => face.receive(arbitrary_message(&mut random), via),
            }
            while face.poll().is_some() {}
        }
    }
}

/// A client may leave 1,024 requests unanswered, be asked 256 questions, and a server may be asked 4,096 times and ask 256 times: the next one is
/// refused, and there is room again when one has ended.
#[test]
fn books_are_bounded() {
    let mut face = client::Session::new();
    let mut say = |text: &str| {
        face.handle(Input::Message(message(text), Arrival::default()));
        std::iter::from_fn(|| face.poll()).collect::<Vec<_>>()
    };
    let call = |id: usize| format!(r#"{{"id":{id},"method":"tools/list","params":{{"_meta":{{@modern}}}}}}"#);
    for id in 0..1024 {
        assert!(matches!(say(&call(id))[..], [client::Output::Request(..)]));
    }
    assert!(matches!(say(&call(5000))[..], [client::Output::Send(..)]), "refused");
    say(r#"{"method":"notifications/cancelled","params":{"requestId":7}}"#);
    assert!(matches!(say(&call(5000))[..], [client::Output::Request(..)]));

    let mut face = crate::server_face::greeted(Revision::V2025_11_25, "{}");
    for id in 0..256 {
        face.receive(message(&format!(r#"{{"id":{id},"method":"roots/list"}}"#)), None);
        assert!(matches!(face.poll(), Some(server::Output::Ask { .. })));
    }
    face.receive(message(r#"{"id":5000,"method":"roots/list"}"#), None);
    assert!(matches!(face.poll(), Some(server::Output::Send(_))), "refused");
    let request = crate::server_face::request(Revision::V2025_11_25, "{}", None, r#"{"id":1,"method":"tools/list"}"#);
    for _ in 0..4096 {
        face.call(&request).expect("room");
    }
    assert!(face.call(&request).is_err(), "refused");
    face.cancel(Ticket(2), None, false);
    assert!(face.call(&request).is_ok());
}
