//! Messages that bad peers send without end are not kept: each kind in a volume far beyond its limit, with the peak of
//! the whole process.

use serde_json::json;
use testkit::{Client, Era, Gateway, Script, Step, Wire, gateway, process};

use crate::{ERAS, WAYS, WIRES, alone, echo};

const SERVER: &str = env!("CARGO_BIN_EXE_scripted-server");
/// The most memory that one peer may cost, while several times as much is sent.
const BOUND: usize = 32 << 20;
/// What most frames carry, and how many of them are sent: 100 MB.
const PADDING: usize = 100_000;
const MANY: usize = 1_000;

/// Runs a test, and measures how far memory grows meanwhile.
async fn bounded(what: &str, sending: impl Future<Output = ()>) {
    process::forget_peak();
    let before = process::resident();
    sending.await;
    let grown = process::peak().saturating_sub(before);
    assert!(grown < BOUND, "{what}: {} MB were held", grown >> 20);
}

async fn still_works(client: &Client) {
    assert_eq!(client.call("say", json!({"still": true})).await.said()["still"], true);
}

/// Returns a frame that is nested too deeply to be read to its end.
fn bomb(megabytes: usize) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{}"#,
        "[".repeat(megabytes << 20)
    )
}

// === servers

/// Returns a client before a server whose one bad tool does this.
async fn before(server_era: Era, steps: Vec<Step>) -> (Gateway, Client) {
    let script = echo(server_era, Wire::Pipe).tool("bad", steps);
    let gateway = gateway().upstream("bad", script.forgetful()).start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    (gateway, client)
}

#[test]
fn garbage_without_end() {
    alone("bounds::garbage_without_end", async {
        let gateway = gateway()
            .child("noisy", SERVER, &["endless-garbage"])
            .upstream("good", echo(Era::Legacy, Wire::Pipe))
            .start();
        let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
        bounded("garbage", async {
            let (_, why) = client.call("misbehave", json!({})).await.error();
            assert!(why.contains("noisy") && why.contains("stdout"), "{why}");
            still_works(&client).await;
        })
        .await;
        gateway.stop().await;
        assert_eq!(process::children(), Vec::<u32>::new());
    });
}

#[test]
fn depth_bombs_of_a_server() {
    alone("bounds::depth_bombs_of_a_server", async {
        for era in ERAS {
            let (gateway, client) = before(era, vec![Step::Flood(100, bomb(1)), Step::text("done")]).await;
            bounded("100 MB of brackets", async {
                assert_eq!(client.call("bad", json!({})).await.text(), "done");
                still_works(&client).await;
            })
            .await;
            gateway.stop().await;
        }
    });
}

#[test]
fn second_answers_and_answers_to_nothing() {
    alone("bounds::second_answers_and_answers_to_nothing", async {
        let padding = "x".repeat(PADDING);
        let again = format!(r#"{{"jsonrpc":"2.0","id":$id,"result":{{"content":[],"padding":"{padding}"}}}}"#);
        let stray = again.replace("$id", "987654");
        let unknown = again.replace("$id", r#""nobody""#);
        for era in ERAS {
            let steps = vec![
                Step::Flood(MANY, stray.clone()),
                Step::Flood(MANY, unknown.clone()),
                Step::text("first"),
                Step::Flood(MANY, again.clone()),
            ];
            let (gateway, client) = before(era, steps).await;
            bounded("300 MB of answers", async {
                assert_eq!(client.call("bad", json!({})).await.text(), "first");
                still_works(&client).await;
            })
            .await;
            gateway.stop_after(&[&client], "at the end").await;
        }
    });
}

/// Questions that no client answers, and progress of no request: the first are limited in number, the second are not
/// kept.
#[test]
fn floods_of_questions_and_progress() {
    alone("bounds::floods_of_questions_and_progress", async {
        let padding = "x".repeat(PADDING);
        let question =
            |id: &str| format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"sampling/createMessage","params":{{"padding":"{padding}"}}}}"#);
        let progress = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":4242,"progress":1,"message":"{padding}"}}}}"#
        );
        let steps = vec![Step::Flood(MANY, question("same")), Step::Flood(MANY, progress), Step::text("done")];
        let (gateway, client) = before(Era::Legacy, steps).await;
        bounded("200 MB of questions and progress", async {
            assert_eq!(client.call("bad", json!({})).await.text(), "done");
            still_works(&client).await;
        })
        .await;
        gateway.stop().await;
    });
}

// === clients

/// Returns a server that asks one question and then answers.
fn asking() -> Script {
    let steps = [
        Step::elicit(r#""who?""#),
        Step::answer(r#"{"content":[],"structuredContent":$answers}"#),
    ];
    echo(Era::Legacy, Wire::Pipe).tool("ask", steps).forgetful()
}

#[test]
fn forged_and_replayed_states() {
    alone("bounds::forged_and_replayed_states", async {
        let gateway = gateway().upstream("asking", asking()).start();
        for wire in WIRES {
            let client = gateway
                .client(Era::Modern, wire)
                .principal("ann")
                .capabilities(crate::form())
                .ready()
                .await;
            let state = client.call("ask", json!({})).await.state();
            let answers = json!({"question": {"action": "decline"}});
            let retry = |state: String| {
                let params = json!({"name": "ask", "arguments": {}, "inputResponses": answers, "requestState": state});
                client.request("tools/call", params)
            };
            assert!(!retry(state.clone()).await.is_error(), "{wire:?}");
            bounded("100 MB of states", async {
                for n in 0..MANY {
                    let forged = format!("{state}{n}{}", "A".repeat(PADDING));
                    assert_eq!(retry(forged).await.error().0, jsonrpc::code::INVALID_PARAMS, "{wire:?}");
                    assert_eq!(retry(state.clone()).await.error().0, jsonrpc::code::INVALID_PARAMS, "{wire:?}");
                    client.mailbox().drain();
                }
            })
            .await;
            assert_eq!(gateway.kernel.census()[3], 0, "{wire:?}: nothing is parked");
        }
        gateway.stop().await;
    });
}

#[test]
fn depth_bombs_and_answers_to_nothing_of_a_client() {
    alone("bounds::depth_bombs_and_answers_to_nothing_of_a_client", async {
        let gateway = gateway().upstream("echo", echo(Era::Legacy, Wire::Pipe).forgetful()).start();
        let padding = "x".repeat(PADDING);
        let stray = format!(r#"{{"jsonrpc":"2.0","id":12,"result":{{"padding":"{padding}"}}}}"#);
        let cancelled = format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":"{padding}"}}}}"#);
        let bomb = bomb(1);
        for (era, wire) in WAYS {
            let client = gateway.client(era, wire).ready().await;
            bounded(&format!("300 MB of {era:?} {wire:?}"), async {
                for n in 0..MANY {
                    client.send(stray.clone()).await;
                    // Each id is another one.
                    client.send(cancelled.replacen("xx", &n.to_string(), 1)).await;
                    if n % 10 == 0 {
                        client.send(bomb.clone()).await;
                    }
                    client.mailbox().drain();
                }
                still_works(&client).await;
            })
            .await;
            client.leave().await;
        }
        gateway.stop_after(&[], "at the end").await;
    });
}

#[test]
fn an_id_that_is_sent_again_and_again() {
    alone("bounds::an_id_that_is_sent_again_and_again", async {
        let script = echo(Era::Legacy, Wire::Pipe).tool("slow", [Step::gate("go"), Step::text("slow")]);
        let gateway = gateway().upstream("echo", script.forgetful()).start();
        for (era, wire) in [WAYS[0], WAYS[1], WAYS[2]] {
            let client = gateway.client(era, wire).ready().await;
            let params = json!({"name": "slow", "arguments": {"padding": "x".repeat(PADDING)}});
            let params = client.dressed(Some(params.to_string())).expect("params");
            let frame = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}}"#, params.text());
            let id = jsonrpc::Id::number(7);
            client.send(frame.clone()).await;
            bounded(&format!("100 MB of {era:?} {wire:?}"), async {
                for _ in 0..MANY {
                    client.send(frame.clone()).await;
                    let refused = client.mailbox().take("a refusal", |arrived| arrived.answers(&id)).await;
                    assert!(refused.message.is_some_and(|message| message.is_error()), "{era:?} {wire:?}");
                    client.mailbox().drain();
                }
            })
            .await;
            gateway.server("echo").open_gate("go");
            let answered = client.mailbox().take("the answer", |arrived| arrived.answers(&id)).await;
            assert!(answered.message.is_some_and(|message| !message.is_error()), "{era:?} {wire:?}");
            gateway.server("echo").shut_gate("go");
            client.leave().await;
        }
        gateway.stop().await;
    });
}
