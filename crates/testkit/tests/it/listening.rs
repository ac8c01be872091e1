//! `subscriptions/listen` of modern clients: one slow server delays no other, nothing is without a bound, and streams end with their client.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Client, Era, Exchange, MemoryCache, Script, Step, Wire, gateway};

use crate::{ECHO, WAYS, WIRES, form, pairs};

const UPDATED: &str = "notifications/resources/updated";

/// Returns a legacy server with one resource.
fn library(uri: &str) -> Script {
    Script::legacy()
        .resource(uri, [Step::answer(r#"{"contents":[]}"#)])
        .tool("say", [Step::answer(ECHO)])
}

/// Opens a stream for these URIs.
async fn listen(client: &Client, uris: &[&str]) -> Exchange {
    let filter = json!({"notifications": {"resourceSubscriptions": uris}});
    client.start("subscriptions/listen", filter).await
}

/// Returns the URIs that the acknowledgement names.
async fn acknowledged(client: &Client) -> Value {
    let heard = client.notification("notifications/subscriptions/acknowledged").await;
    let params = heard.params().expect("params").to_value();
    params["notifications"]["resourceSubscriptions"].clone()
}

#[tokio::test(start_paused = true)]
async fn a_server_that_hangs_is_left_out_and_delays_no_other() {
    let cache = Arc::new(MemoryCache::default());
    let known = gateway().cache(cache.clone()).upstream("hung", library("test://hung")).start();
    let client = known.client(Era::Modern, Wire::Pipe).connect().await;
    assert_eq!(client.tools().await, ["say"]);
    known.stop().await;
    for (hangs, wire) in pairs(["initialize", "resources/subscribe"], WIRES) {
        let gateway = gateway()
            .cache(cache.clone())
            .upstream("hung", library("test://hung").on(hangs, [Step::Hang]))
            .upstream("good", library("test://good"))
            .settings(|settings| settings.startup_wait = Duration::from_secs(2))
            .start();
        let client = gateway.client(Era::Modern, wire).ready().await;
        let started = tokio::time::Instant::now();
        let stream = listen(&client, &["test://hung", "test://good"]).await;
        assert_eq!(acknowledged(&client).await, json!(["test://good"]), "{hangs} {wire:?}");
        assert!(
            started.elapsed() <= Duration::from_secs(3),
            "{hangs} {wire:?}: {:?}",
            started.elapsed()
        );
        gateway.server("good").say(UPDATED, r#"{"uri":"test://good"}"#);
        client.notification(UPDATED).await;
        client.cancel(&stream).await;
        gateway.stop_after(&[&client], format_args!("{hangs} {wire:?}")).await;
    }
}

/// Returns a server whose tool changes the resource, and says so on the connection of the call.
fn changing(wire: Wire) -> Script {
    let script = library("test://one").over_http(wire == Wire::Http);
    script.tool("change", [Step::notify(UPDATED, r#"{"uri":"test://one"}"#), Step::answer(ECHO)])
}

#[tokio::test]
async fn a_principals_own_calls_update_what_it_subscribed_to() {
    for (server_wire, client_wire) in pairs(WIRES, WIRES) {
        let gateway = gateway().upstream("library", changing(server_wire)).start();
        let client = gateway.client(Era::Modern, client_wire).principal("ann").connect().await;
        let stream = listen(&client, &["test://one"]).await;
        assert_eq!(acknowledged(&client).await, json!(["test://one"]));
        assert!(!client.call("change", json!({})).await.is_error());
        client.notification(UPDATED).await;
        let server = gateway.server("library");
        let (subscribed, called) = (server.received_of("resources/subscribe"), server.received_of("tools/call"));
        assert_eq!(subscribed[0].connection, called[0].connection, "{client_wire:?} to {server_wire:?}");
        client.cancel(&stream).await;
        gateway
            .stop_after(&[&client], format_args!("{client_wire:?} to {server_wire:?}"))
            .await;
    }
}

/// Calls that can be asked back have lanes of their own: the stream of their client is on its principal's line, never
/// on another principal's.
#[tokio::test]
async fn a_client_that_can_be_asked_subscribes_on_its_principals_line() {
    let gateway = gateway().upstream("library", changing(Wire::Pipe)).start();
    let connection_of = async |principal: &str| {
        let client = gateway
            .client(Era::Modern, Wire::Pipe)
            .principal(principal)
            .capabilities(form())
            .connect()
            .await;
        listen(&client, &["test://one"]).await;
        assert_eq!(acknowledged(&client).await, json!(["test://one"]));
        let subscribed = gateway.server("library").received_of("resources/subscribe").pop();
        (client, subscribed.expect("a subscription").connection)
    };
    let (ann, anns) = connection_of("ann").await;
    let (bob, bobs) = connection_of("bob").await;
    assert_ne!(anns, bobs);
    for client in [ann, bob] {
        client.leave().await;
    }
    gateway.stop().await;
}

/// A named principal's line is made anew as long as one of its clients listens on it.
#[tokio::test(start_paused = true)]
async fn a_stream_outlives_the_connections_below_it() {
    let gateway = gateway().upstream("library", library("test://one")).start();
    let client = gateway.client(Era::Modern, Wire::Http).principal("ann").connect().await;
    listen(&client, &["test://one"]).await;
    assert_eq!(acknowledged(&client).await, json!(["test://one"]));
    let server = gateway.server("library");
    server.crash();
    server.nth("resources/subscribe", 2).await;
    server.say(UPDATED, r#"{"uri":"test://one"}"#);
    client.notification(UPDATED).await;
    gateway.stop_after(&[&client], "at the end").await;
}

#[tokio::test(start_paused = true)]
async fn a_pipe_that_is_closed_does_not_wait_for_its_own_streams() {
    let gateway = gateway().upstream("library", library("test://one")).start();
    let client = gateway.client(Era::Modern, Wire::Pipe).connect().await;
    let stream = listen(&client, &["test://one"]).await;
    acknowledged(&client).await;
    let before = tokio::time::Instant::now();
    tokio::time::timeout(Duration::from_secs(30), client.finish())
        .await
        .expect("an end");
    assert!(before.elapsed() < Duration::from_secs(1), "{:?}", before.elapsed());
    assert_eq!(client.reply(&stream).await.result()["resultType"], "complete");
    gateway.server("library").nth("resources/unsubscribe", 1).await;
    gateway.stop_after(&[], "at the end").await;
}

#[tokio::test]
async fn what_one_client_subscribes_to_has_a_bound() {
    let gateway = gateway().upstream("library", library("test://0")).start();
    let (many, one_more): (Vec<String>, _) = ((0..1024).map(|n| format!("test://{n}")).collect(), "test://more".to_owned());
    let long = format!("test://{}", "x".repeat(64 << 10));
    for wire in WIRES {
        let modern = gateway.client(Era::Modern, wire).ready().await;
        let too_many: Vec<&str> = many.iter().chain([&one_more]).map(String::as_str).collect();
        for (uris, said) in [(&too_many[..], "1024"), (&[long.as_str()], "65536")] {
            let stream = listen(&modern, uris).await;
            let (code, text) = modern.reply(&stream).await.error();
            assert_eq!(code, -32602, "{wire:?}: {text}");
            assert!(text.contains(said) && text.len() < 300, "{wire:?}: {text}");
        }
        modern.leave().await;

        let legacy = gateway.client(Era::Legacy, wire).ready().await;
        for uri in &many {
            let granted = legacy.request("resources/subscribe", json!({"uri": uri})).await;
            assert!(!granted.is_error(), "{wire:?}: {:?}", granted.message);
        }
        for (uri, said) in [(&one_more, "1024"), (&long, "65536")] {
            let (code, text) = legacy.request("resources/subscribe", json!({"uri": uri})).await.error();
            assert_eq!(code, -32602, "{wire:?}: {text}");
            assert!(text.contains(said) && text.len() < 300, "{wire:?}: {text}");
        }
        // What is given back can be used again.
        for (method, uri) in [("resources/unsubscribe", &many[0]), ("resources/subscribe", &one_more)] {
            assert!(!legacy.request(method, json!({"uri": uri})).await.is_error(), "{wire:?} {method}");
        }
        legacy.leave().await;
    }
    gateway.stop().await;
}

/// All streams of a pipe share one bound; what is beyond it is left out of the acknowledgement.
#[tokio::test]
async fn the_streams_of_one_pipe_share_the_bound() {
    let gateway = gateway().upstream("library", library("test://0")).start();
    let client = gateway.client(Era::Modern, Wire::Pipe).ready().await;
    let uris: Vec<String> = (0..1024).map(|n| format!("test://{n}")).collect();
    let uris: Vec<&str> = uris.iter().map(String::as_str).collect();
    listen(&client, &uris[..1000]).await;
    assert_eq!(acknowledged(&client).await.as_array().map(Vec::len), Some(1000));
    listen(&client, &uris).await;
    assert_eq!(acknowledged(&client).await.as_array().map(Vec::len), Some(24));
    client.leave().await;
    gateway.stop().await;
}

/// A modern server may end the gateway's stream, with its answer or by taking it back; the clients' streams go on, and so does what they hear.
#[tokio::test(start_paused = true)]
async fn a_stream_that_a_server_ends_is_opened_anew_and_its_clients_hear_on() {
    for ((server_wire, taken_back), (era, wire)) in pairs([(Wire::Pipe, false), (Wire::Pipe, true), (Wire::Http, false)], WAYS) {
        let way = format!("{era:?} {wire:?} before {server_wire:?}, taken back: {taken_back}");
        let script = Script::modern()
            .over_http(server_wire == Wire::Http)
            .resource("test://one", [Step::answer(r#"{"contents":[]}"#)]);
        let gateway = gateway().upstream("library", script).start();
        let server = gateway.server("library");
        let client = gateway.client(era, wire).connect().await;
        if era == Era::Modern {
            listen(&client, &["test://one"]).await;
            assert_eq!(acknowledged(&client).await, json!(["test://one"]), "{way}");
        } else {
            client.request("resources/list", json!({})).await;
            assert!(
                !client.request("resources/subscribe", json!({"uri": "test://one"})).await.is_error(),
                "{way}"
            );
            if wire == Wire::Http {
                assert_eq!(client.listen(None).await.1, 200);
            }
        }
        let asked = server.received_of("subscriptions/listen");
        if taken_back {
            for listening in &asked {
                let id = listening.message.id().expect("an id").raw().text().to_owned();
                server.print(&format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
                ));
            }
        } else {
            server.end_listening();
        }
        let again = server.nth("subscriptions/listen", asked.len() + 1).await;
        let wanted = again.params()["notifications"]["resourceSubscriptions"].clone();
        assert_eq!(wanted, json!(["test://one"]), "{way}");
        server.until("the stream", |server| server.streams() > 0).await;
        server.say(UPDATED, r#"{"uri":"test://one"}"#);
        client.notification(UPDATED).await;
        gateway.stop().await;
    }
}
