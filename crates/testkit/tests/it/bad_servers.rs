//! Servers that behave badly: every call is answered, nothing else suffers, memory stays bounded.

use std::time::Duration;

use serde_json::json;
use testkit::{Client, Era, Exchange, Gateway, Script, Step, Wire, gateway, process};

use crate::{ECHO, ERAS, WAYS, alone, echo, pairs, said};

const SERVER: &str = env!("CARGO_BIN_EXE_scripted-server");
const STRAY: &str = r#"{"jsonrpc":"2.0","id":987654,"result":{"stray":true}}"#;

async fn still_works(client: &Client) {
    let answer = client.call("say", json!({"still": true})).await;
    assert_eq!(answer.said()["still"], true);
}

/// Takes everything that comes from the mailbox until the answer, so that nothing of it is held.
async fn answer_of(client: &Client, call: &Exchange) -> jsonrpc::Message {
    loop {
        let arrived = client.mailbox().take("anything", |_| true).await;
        if arrived.answers(&call.id) {
            return arrived.message.expect("a message");
        }
    }
}

/// Runs every kind of client in front of a server with one bad tool; `judge` checks the answer to its call.
async fn in_every_way(server: impl Fn() -> Script, judge: impl Fn(&Gateway, &testkit::Reply)) {
    for (era, wire) in WAYS {
        let gateway = gateway().upstream("bad", server()).start();
        let client = gateway.client(era, wire).ready().await;
        let answer = client.call("bad", json!({})).await;
        judge(&gateway, &answer);
        still_works(&client).await;
        let further = client.mailbox().drain();
        let answers = further
            .iter()
            .filter(|arrived| arrived.answers(answer.message.id().expect("an id")));
        assert_eq!(answers.count(), 0, "{era:?} {wire:?}: every id is answered once: {further:#?}");
        gateway.stop_after(&[&client], format_args!("{era:?} {wire:?}")).await;
    }
}

#[tokio::test]
async fn garbage_on_stdout_is_let_go_by() {
    let server = || {
        let garbage = [
            "Starting…",
            "{",
            r#"{"a":1}"#,
            "[]",
            "\u{0}\u{1}",
            r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
            "null",
        ];
        let mut steps: Vec<Step> = garbage.iter().map(|text| Step::send(*text)).collect();
        steps.push(Step::text("fine"));
        echo(Era::Legacy, Wire::Pipe).tool("bad", steps)
    };
    in_every_way(server, |_, answer| assert_eq!(answer.text(), "fine")).await;
}

#[tokio::test]
async fn garbage_before_and_in_the_handshake_is_let_go_by() {
    let server = echo(Era::Legacy, Wire::Pipe).on(
        "initialize",
        [
            Step::send("npm warn deprecated"),
            Step::send(STRAY),
            Step::notify("notifications/message", r#"{"level":"info","data":"hello"}"#),
            Step::answer(r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#),
        ],
    );
    let gateway = gateway().upstream("bad", server).start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).connect().await;
    assert_eq!(client.tools().await, ["say"]);
    still_works(&client).await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_second_answer_and_answers_nobody_asked_for_are_dropped() {
    for era in ERAS {
        let server = || {
            let other = r#"{"jsonrpc":"2.0","id":$id,"result":{"content":[{"type":"text","text":"another"}]}}"#;
            let steps = [
                Step::send(STRAY),
                Step::send(r#"{"jsonrpc":"2.0","id":"nobody","error":{"code":1,"message":"no"}}"#),
                Step::send(r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}"#.replace("null", "\"null\"")),
                Step::notify("notifications/progress", r#"{"progressToken":4242,"progress":1}"#),
                Step::notify("notifications/cancelled", r#"{"requestId":"nothing"}"#),
                Step::text("first"),
                Step::send(other),
                Step::send(other),
            ];
            echo(era, Wire::Pipe).tool("bad", steps)
        };
        in_every_way(server, |_, answer| assert_eq!(answer.text(), "first")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up_in_time_and_told() {
    for (server_way, (era, wire)) in pairs(WAYS, WAYS) {
        let script = echo(server_way.0, server_way.1).tool("bad", [Step::Hang]);
        let gateway = gateway()
            .upstream_with("bad", script, |spec| spec.request_timeout = Duration::from_secs(5))
            .start();
        let client = gateway.client(era, wire).ready().await;
        let started = tokio::time::Instant::now();
        let (code, text) = client.call("bad", json!({})).await.error();
        let way = format!("{server_way:?} for {era:?} {wire:?}");
        assert_eq!(code, -32603, "{way}");
        assert!(text.contains("bad"), "{way}: {text}");
        assert!(started.elapsed() < Duration::from_secs(6), "{way}");
        gateway
            .server("bad")
            .until("the cancellation", |server| server.cancelled() == 1)
            .await;
        still_works(&client).await;
        assert_eq!(
            gateway.kernel.census()[2],
            usize::from(server_way.0 == Era::Modern),
            "{way}: only the listener may be open"
        );
        gateway.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_exits_in_the_middle_of_a_call_comes_back_by_itself() {
    for (server_era, (era, wire)) in pairs(ERAS, WAYS) {
        let script = echo(server_era, Wire::Pipe).tool("bad", [Step::Exit]);
        let gateway = gateway()
            .upstream("bad", script)
            .upstream("good", echo(Era::Legacy, Wire::Pipe).tool("well", [Step::answer(ECHO)]))
            .start();
        let client = gateway.client(era, wire).ready().await;
        let (_, text) = client.call("bad", json!({})).await.error();
        assert!(
            text.contains("bad") && text.contains("exit"),
            "{server_era:?} for {era:?} {wire:?}: {text}"
        );
        let well = client.call("well", json!({"a": 1})).await.result();
        assert_eq!(said(&well)["a"], 1);
        gateway.server("bad").until("another start", |server| server.live() > 0).await;
        assert_eq!(client.call("bad__say", json!({"back": 1})).await.said()["back"], 1);
        assert_eq!(
            gateway
                .server("bad")
                .received_of("tools/call")
                .iter()
                .filter(|r| r.params()["name"] == "bad")
                .count(),
            1,
            "a call is not made twice"
        );
        gateway.stop().await;
    }
}

#[test]
fn a_flood_of_notifications_costs_bounded_memory_and_the_answer_comes() {
    alone(
        "bad_servers::a_flood_of_notifications_costs_bounded_memory_and_the_answer_comes",
        flood(),
    );
}

async fn flood() {
    for (era, wire) in WAYS {
        let log = format!(r#"{{"level":"info","data":"{}"}}"#, "x".repeat(1000));
        let frame = format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{log}}}"#);
        let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$token,"progress":1}}"#;
        let steps = [
            Step::Flood(10_000, frame),
            Step::Flood(10_000, progress.to_owned()),
            Step::text("at last"),
        ];
        let script = echo(Era::Legacy, Wire::Pipe)
            .capabilities(json!({"tools": {}, "logging": {}}))
            .tool("bad", steps);
        let gateway = gateway().upstream("bad", script.forgetful()).start();
        let client = gateway.client(era, wire).ready().await;
        let before = process::resident();
        let call = client.start_call_with_progress("bad", json!({}), json!("p")).await;
        let answer = answer_of(&client, &call).await;
        assert!(!answer.is_error(), "{era:?} {wire:?}: {answer:?}");
        let grown = process::resident().saturating_sub(before);
        assert!(grown < 48 << 20, "{era:?} {wire:?}: {} MB were held", grown >> 20);
        still_works(&client).await;
        gateway.stop().await;
    }
}

#[test]
fn a_client_that_reads_nothing_costs_bounded_memory() {
    alone("bad_servers::a_client_that_reads_nothing_costs_bounded_memory", deaf());
}

async fn deaf() {
    let frame = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":"{}"}}}}"#,
        "x".repeat(10_000)
    );
    let script = echo(Era::Legacy, Wire::Pipe)
        .capabilities(json!({"tools": {}, "logging": {}}))
        .tool("bad", [Step::Flood(20_000, frame), Step::text("done")]);
    let gateway = gateway().upstream("bad", script.forgetful()).start();
    let good = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    let (outgoing, mut unread) = tokio::sync::mpsc::channel(8);
    let pipe = kernel::front::Front::open(&gateway.kernel, model::Principal::named("deaf").into(), outgoing);
    pipe.receive(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{}}}"#
            .into(),
    )
    .await;
    assert!(unread.recv().await.is_some());
    let before = process::resident();
    pipe.receive(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bad","arguments":{}}}"#.into())
        .await;
    gateway
        .server("bad")
        .until("the deaf client's own connection", |server| server.opened() >= 1)
        .await;
    for n in 0..200 {
        assert_eq!(
            good.call("say", json!({"n": n})).await.said()["n"],
            n,
            "others are served meanwhile"
        );
    }
    let grown = process::resident().saturating_sub(before);
    assert!(grown < 48 << 20, "{} MB were held", grown >> 20);
    pipe.closed();
    gateway.stop().await;
}

#[test]
fn one_endless_line_of_a_child_is_not_held() {
    alone("bad_servers::one_endless_line_of_a_child_is_not_held", endless());
}

async fn endless() {
    let gateway = gateway()
        .child_with("endless", SERVER, &["endless-line"], |spec| {
            spec.request_timeout = Duration::from_secs(2)
        })
        .child("long", SERVER, &["long-line"])
        .upstream("good", echo(Era::Legacy, Wire::Pipe))
        .start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    process::forget_peak();
    let before = process::resident();
    for name in ["endless__misbehave", "long__misbehave"] {
        let answer = client.call(name, json!({})).await;
        assert!(answer.is_error(), "{name}: {answer:?}");
        assert!(answer.error().1.contains(name.split('_').next().expect("a server")), "{answer:?}");
        assert_eq!(client.call("say", json!({"n": 1})).await.said()["n"], 1);
    }
    let grown = process::peak().saturating_sub(before);
    assert!(grown < 96 << 20, "{} MB were held", grown >> 20);
    gateway.stop().await;
    assert_eq!(process::children(), Vec::<u32>::new());
}

#[test]
fn a_child_that_floods_costs_bounded_memory() {
    alone("bad_servers::a_child_that_floods_costs_bounded_memory", child_flood());
}

async fn child_flood() {
    let gateway = gateway().child("flood", SERVER, &["flood"]).start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    process::forget_peak();
    let before = process::resident();
    let call = client.start_call("misbehave", json!({})).await;
    assert!(!answer_of(&client, &call).await.is_error());
    let grown = process::peak().saturating_sub(before);
    assert!(grown < 64 << 20, "{} MB were held", grown >> 20);
    assert!(!client.call("pid", json!({})).await.text().is_empty());
    gateway.stop().await;
}

#[test]
fn a_child_that_exits_is_named_with_its_last_words() {
    alone("bad_servers::a_child_that_exits_is_named_with_its_last_words", exits());
}

async fn exits() {
    let gateway = gateway()
        .child("dead", SERVER, &["exit-at-start"])
        .child("absent", "/no/such/program", &[])
        .child("mortal", SERVER, &["exit-on-call"])
        .start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).connect().await;
    let tools = client.tools().await;
    assert!(tools.contains(&"misbehave".to_owned()), "{tools:?}");
    let (_, text) = client.call("misbehave", json!({})).await.error();
    assert!(text.contains("mortal"), "{text}");
    let status = gateway.kernel.status();
    let health = |id: &str| {
        format!(
            "{:?}",
            status
                .iter()
                .find(|status| status.id.as_str() == id)
                .map(|status| status.health.clone())
        )
    };
    assert!(health("dead").contains("it will not do"), "{}", health("dead"));
    assert!(health("absent").contains("/no/such/program"), "{}", health("absent"));
    gateway.stop().await;
    assert_eq!(process::children(), Vec::<u32>::new());
}

#[tokio::test]
async fn http_servers_that_answer_nonsense_are_errors_that_name_them() {
    let bad: [(&str, Vec<Step>); 7] = [
        ("a status", vec![Step::Status(500, "<html>oops</html>".to_owned())]),
        ("no message", vec![Step::Send("<html>".to_owned())]),
        ("unauthorised", vec![Step::Status(401, String::new())]),
        ("another id", vec![Step::send(STRAY)]),
        ("no end", vec![Step::notify("notifications/x", "{}")]),
        ("a lost connection", vec![Step::Exit]),
        ("nothing", vec![]),
    ];
    for server_era in ERAS {
        for (what, steps) in &bad {
            let script = echo(server_era, Wire::Http).tool("bad", steps.clone());
            let gateway = gateway().upstream("bad", script).start();
            for (era, wire) in WAYS {
                let client = gateway.client(era, wire).ready().await;
                let answer = client.call("bad", json!({})).await;
                assert!(answer.is_error(), "{server_era:?} {what}: {answer:?}");
                still_works(&client).await;
                client.leave().await;
            }
            gateway.stop_after(&[], format_args!("{server_era:?} {what}")).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn lists_that_never_end_or_are_no_lists_leave_the_others_alone() {
    let endless = Script::legacy().on(
        "tools/list",
        [Step::answer(r#"{"tools":[{"name":"t","inputSchema":{}}],"nextCursor":"same"}"#)],
    );
    let wrong = Script::legacy().on("tools/list", [Step::answer(r#"{"tools":"none"}"#)]);
    let nameless = Script::legacy().on("tools/list", [Step::answer(r#"{"tools":[{"inputSchema":{}},7,{"name":7}]}"#)]);
    let failing = Script::legacy().on("tools/list", [Step::Fail(-32603, "not today".to_owned())]);
    let silent = Script::legacy().on("tools/list", [Step::Hang]);
    let gateway = gateway()
        .upstream("endless", endless)
        .upstream("wrong", wrong)
        .upstream("nameless", nameless)
        .upstream("failing", failing)
        .upstream("silent", silent)
        .upstream("good", echo(Era::Legacy, Wire::Pipe))
        .settings(|settings| settings.startup_wait = Duration::from_secs(2))
        .start();
    for (era, wire) in WAYS {
        let client = gateway.client(era, wire).connect().await;
        let tools = client.tools().await;
        assert!(tools.contains(&"say".to_owned()), "{tools:?}");
        still_works(&client).await;
    }
    gateway.stop().await;
}

#[tokio::test]
async fn questions_that_cannot_be_put_are_answered_with_errors() {
    for (era, wire) in WAYS {
        let script = echo(Era::Legacy, Wire::Pipe).tool(
            "bad",
            [
                Step::elicit(r#""who?""#),
                Step::ask("no/such", "{}"),
                Step::ask("ping", "{}"),
                Step::answer(r#"{"content":[],"structuredContent":$answers}"#),
            ],
        );
        let gateway = gateway().upstream("bad", script).start();
        let client = gateway.client(era, wire).ready().await;
        let call = client.start_call("bad", json!({})).await;
        let answer = client.reply(&call).await.result();
        let answers = said(&answer)
            .as_array()
            .unwrap_or_else(|| panic!("{era:?} {wire:?}: {answer}"))
            .clone();
        assert!(
            answers[0]["code"].is_number(),
            "{era:?} {wire:?}: a client without elicitation is not asked: {answers:?}"
        );
        assert_eq!(answers[1]["code"], jsonrpc::code::METHOD_NOT_FOUND, "{era:?} {wire:?}: {answers:?}");
        assert_eq!(answers[2], json!({}), "{era:?} {wire:?}");
        gateway.stop().await;
    }
}
