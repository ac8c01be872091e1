//! Subscriptions and changes of lists, between servers and clients of both eras.

use std::time::Duration;

use serde_json::json;
use testkit::{Era, Script, Step, Wire, gateway};

use crate::{ECHO, ERAS, WAYS, WIRES, pairs};

fn library(era: Era, wire: Wire) -> Script {
    Script::of(era)
        .over_http(wire == Wire::Http)
        .resource(
            "test://one",
            [Step::answer(
                r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":[]}"#,
            )],
        )
        .tool("say", [Step::answer(ECHO)])
}

const UPDATED: (&str, &str) = ("notifications/resources/updated", r#"{"uri":"test://one","extra":1.0}"#);

#[tokio::test]
async fn subscriptions_cross_the_eras_both_ways_and_end() {
    for ((server_era, server_wire), client_wire) in pairs(WAYS, WIRES) {
        let way = format!("Legacy {client_wire:?} to {server_era:?} {server_wire:?}");
        let gateway = gateway().upstream("library", library(server_era, server_wire)).start();
        let client = gateway.client(Era::Legacy, client_wire).ready().await;
        if client_wire == Wire::Http {
            assert_eq!(client.listen(None).await.1, 200);
        }
        assert!(!client.request("resources/subscribe", json!({"uri": "test://one"})).await.is_error());
        let server = gateway.server("library").clone();
        let subscribed = |server: &testkit::Scripted| match server_era {
            Era::Legacy => !server.received_of("resources/subscribe").is_empty(),
            Era::Modern => listens(server) && server.streams() > 0,
        };
        server.until(&format!("the subscription, {way}"), subscribed).await;
        server.say(UPDATED.0, UPDATED.1);
        let heard = client.told(UPDATED.0).await;
        assert_eq!((&heard["uri"], &heard["extra"]), (&json!("test://one"), &json!(1.0)), "{way}");
        assert!(heard["_meta"]["io.modelcontextprotocol/subscriptionId"].is_null(), "{way}: {heard}");

        assert!(
            !client
                .request("resources/unsubscribe", json!({"uri": "test://one"}))
                .await
                .is_error()
        );
        let ended = |server: &testkit::Scripted| match server_era {
            Era::Legacy => !server.received_of("resources/unsubscribe").is_empty(),
            Era::Modern => !listens(server),
        };
        server.until(&format!("the end of the subscription, {way}"), ended).await;
        gateway.stop_after(&[&client], way).await;
    }
}

/// What could not be subscribed to is not asked for when the server is back, and can be subscribed to then.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_fails_leaves_nothing_behind() {
    for server_era in ERAS {
        let gateway = gateway().upstream("library", library(server_era, Wire::Pipe)).start();
        let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
        let server = gateway.server("library").clone();
        server.set_down(true);
        server.crash();
        let one = || json!({"uri": "test://one"});
        let refused = client.request("resources/subscribe", one()).await;
        assert!(refused.is_error(), "{server_era:?}: the server is down");

        server.set_down(false);
        while client.call("library__say", json!({})).await.is_error() {
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        let asked = |server: &testkit::Scripted| match server_era {
            Era::Legacy => !server.received_of("resources/subscribe").is_empty(),
            Era::Modern => listens(server),
        };
        assert!(!asked(&server), "{server_era:?}: nobody wants it");
        let granted = client.request("resources/subscribe", one()).await;
        assert!(!granted.is_error(), "{server_era:?}: {:?}", granted.message);
        server.until("the subscription", asked).await;
        gateway.stop_after(&[&client], format_args!("{server_era:?}")).await;
    }
}

/// Returns whether the last filter that a modern server was given names the resource.
fn listens(server: &testkit::Scripted) -> bool {
    let last = server.received_of("subscriptions/listen").pop();
    let uris = last.map(|listen| listen.params()["notifications"]["resourceSubscriptions"].clone());
    uris.is_some_and(|uris| uris.as_array().is_some_and(|uris| uris.contains(&json!("test://one"))))
}

#[tokio::test]
async fn a_modern_clients_subscription_stream_follows_servers_of_both_eras() {
    for ((server_era, server_wire), client_wire) in pairs(WAYS, WIRES) {
        let way = format!("Modern {client_wire:?} to {server_era:?} {server_wire:?}");
        let gateway = gateway().upstream("library", library(server_era, server_wire)).start();
        let client = gateway.client(Era::Modern, client_wire).ready().await;
        let wanted = json!({"notifications": {"resourceSubscriptions": ["test://one", "test://none"], "toolsListChanged": true, "promptsListChanged": true}});
        let stream = client.start("subscriptions/listen", wanted).await;
        let acknowledged = client.told("notifications/subscriptions/acknowledged").await;
        let honoured = &acknowledged["notifications"];
        assert_eq!(honoured["toolsListChanged"], true, "{way}: {acknowledged}");
        assert!(
            honoured.get("promptsListChanged").is_none_or(|changed| changed == false),
            "{way}: no server has prompts"
        );
        assert!(
            honoured["resourceSubscriptions"]
                .as_array()
                .is_some_and(|uris| uris.contains(&json!("test://one"))),
            "{way}"
        );
        let id = stream.id.raw().to_value();
        assert_eq!(acknowledged["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
        let server = gateway.server("library").clone();
        let subscribed = |server: &testkit::Scripted| server_era == Era::Legacy || (listens(server) && server.streams() > 0);
        server.until("the subscription", subscribed).await;
        server.say(UPDATED.0, UPDATED.1);
        let heard = client.told(UPDATED.0).await;
        assert_eq!(
            (&heard["uri"], &heard["_meta"]["io.modelcontextprotocol/subscriptionId"]),
            (&json!("test://one"), &id),
            "{way}"
        );
        server.say("notifications/tools/list_changed", "{}");
        let heard = client.told("notifications/tools/list_changed").await;
        assert_eq!(heard["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{way}");
        client.cancel(&stream).await;
        let ended = |server: &testkit::Scripted| match server_era {
            Era::Legacy => !server.received_of("resources/unsubscribe").is_empty(),
            Era::Modern => !listens(server),
        };
        server.until(&format!("the end of the subscription, {way}"), ended).await;
        gateway.stop_after(&[&client], way).await;
    }
}

#[tokio::test(start_paused = true)]
async fn list_changes_are_gathered_and_told_only_where_they_were_advertised() {
    let quiet = Script::legacy()
        .capabilities(json!({"tools": {}}))
        .tool("say", [Step::answer(ECHO)]);
    let loud = Script::legacy().tool("shout", [Step::answer(ECHO)]);
    let gateway = gateway()
        .upstream("loud", loud)
        .upstream("quiet", quiet)
        .settings(|settings| settings.debounce = Duration::from_millis(100))
        .start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    // What was learnt while the servers started may still be told.
    tokio::time::advance(Duration::from_secs(5)).await;
    tokio::task::yield_now().await;
    client.request("ping", json!({})).await;
    client.mailbox().drain();
    for _ in 0..50 {
        gateway.server("loud").say("notifications/tools/list_changed", "{}");
    }
    client.notification("notifications/tools/list_changed").await;
    tokio::time::advance(Duration::from_secs(5)).await;
    client.request("ping", json!({})).await;
    let more = client
        .mailbox()
        .drain()
        .iter()
        .filter(|a| a.calls("notifications/tools/list_changed"))
        .count();
    assert!(more <= 1, "fifty changes at once are told once or twice, not {} times", more + 1);
    let fetched = gateway.server("loud").count_of("tools/list");
    assert!(fetched <= 5, "and fetched as seldom: {fetched}");
    gateway.stop().await;
}

#[tokio::test]
async fn changes_of_lists_that_nobody_offers_are_not_told() {
    let quiet = Script::legacy().tool("say", [Step::answer(ECHO)]);
    let gateway = gateway()
        .upstream("quiet", quiet)
        .settings(|settings| settings.debounce = Duration::from_millis(1))
        .start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).open();
    let hello = client.hello().await;
    assert!(hello["capabilities"].get("prompts").is_none(), "{hello}");
    client.tools().await;
    client.mailbox().drain();
    gateway.server("quiet").say("notifications/prompts/list_changed", "{}");
    gateway.server("quiet").say("notifications/resources/list_changed", "{}");
    gateway.server("quiet").say("notifications/tools/list_changed", "{}");
    client.notification("notifications/tools/list_changed").await;
    gateway.server("quiet").say("notifications/tools/list_changed", "{}");
    client.notification("notifications/tools/list_changed").await;
    for unheard in ["notifications/prompts/list_changed", "notifications/resources/list_changed"] {
        assert!(
            client.mailbox().take_now(|a| a.calls(unheard)).is_none(),
            "{unheard}: nobody said that there are such lists"
        );
    }
    gateway.stop().await;
}
