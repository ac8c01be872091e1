//! One dead, slow or hostile server costs only itself; and what is known, lost, cached and reloaded.

use std::sync::Arc;
use std::time::Duration;

use kernel::Health;
use kernel::spec::{EraChoice, Start};
use serde_json::{Value, json};
use testkit::{Era, MemoryCache, Script, Step, Wire, gateway};

use crate::{ECHO, WAYS, WIRES, assert_within, echo};

fn stuck(what: &str) -> Script {
    Script::legacy().on(what, [Step::Hang]).tool("never", [Step::Hang])
}

#[tokio::test(start_paused = true)]
async fn dead_slow_and_silent_servers_are_named_and_delay_nobody_for_longer_than_the_start_up_wait() {
    for (era, wire) in WAYS {
        let gateway = gateway()
            .upstream("good", echo(Era::Legacy, Wire::Pipe))
            .upstream("silent", stuck("initialize"))
            .upstream("listless", stuck("tools/list"))
            .upstream("dead", echo(Era::Legacy, Wire::Pipe).on("initialize", [Step::Exit]))
            .upstream(
                "broken",
                echo(Era::Modern, Wire::Http).on("server/discover", [Step::Status(500, "no".to_owned())]),
            )
            .settings(|settings| settings.startup_wait = Duration::from_secs(2))
            .start();
        let started = tokio::time::Instant::now();
        let client = gateway.client(era, wire).connect().await;
        let listed = client.request("tools/list", json!({})).await.result();
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
        let names: Vec<&str> = listed["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        assert_eq!(names, ["say"], "the others' tools are not empty");
        let mut missing: Vec<&str> = listed["_meta"]["dev.chancery/missing"]
            .as_array()
            .expect("who is missing")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        missing.sort_unstable();
        assert_eq!(missing, ["broken", "dead", "listless", "silent"], "{era:?} {wire:?}");
        let before = tokio::time::Instant::now();
        for n in 0..20 {
            assert_eq!(client.call("say", json!({"n": n})).await.said()["n"], n);
        }
        assert_within(Duration::from_millis(100), before, "a call waits for nobody else");
        let (code, text) = client.call("no_such_tool", json!({})).await.error();
        assert_eq!(code, -32602);
        assert!(text.contains("silent"), "an unknown tool may be a missing server's: {text}");
        gateway.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_was_down_comes_back_by_itself_and_clients_are_told() {
    for server_way in WAYS {
        let script = echo(server_way.0, server_way.1);
        let gateway = gateway()
            .upstream("late", script)
            .upstream("good", Script::legacy().tool("well", [Step::answer(ECHO)]))
            .start();
        gateway.server("late").set_down(true);
        let client = gateway.client(Era::Legacy, Wire::Pipe).connect().await;
        assert_eq!(client.tools().await, ["well"], "{server_way:?}");
        client.mailbox().drain();
        gateway.server("late").set_down(false);
        while client.tools().await != ["say", "well"] {
            client.notification("notifications/tools/list_changed").await;
        }
        assert_eq!(client.call("say", json!({"a": 1})).await.said()["a"], 1);
        gateway.stop().await;
    }
}

/// A dual-era server that is slow to start reads the probe long after it was given up, and knows no `initialize` then.
#[tokio::test(start_paused = true)]
async fn a_modern_server_that_is_slow_to_start_is_found_to_be_modern() {
    let refused =
        r#"{"jsonrpc":"2.0","id":$id,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}"#;
    let discovered =
        r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}"#;
    let script = echo(Era::Modern, Wire::Pipe)
        .on("server/discover", [Step::gate("awake"), Step::answer(discovered)])
        .on("initialize", [Step::gate("awake"), Step::send(refused)]);
    let gateway = gateway()
        .upstream_with("slow", script, |spec| {
            spec.era = EraChoice::Auto;
            spec.startup_timeout = Duration::from_secs(60);
        })
        .start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).connect().await;
    tokio::time::sleep(Duration::from_secs(11)).await;
    gateway.server("slow").open_gate("awake");
    while client.tools().await != ["say"] {
        client.notification("notifications/tools/list_changed").await;
    }
    assert_eq!(client.call("say", json!({"n": 1})).await.said()["n"], 1);
    assert_eq!(gateway.server("slow").opened(), 1, "on the connection that it had");
    gateway.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_say_what_it_offers_is_shown_as_such() {
    let gateway = gateway()
        .upstream("good", echo(Era::Legacy, Wire::Pipe))
        .upstream("silent", stuck("tools/list"))
        .upstream(
            "failing",
            Script::legacy().on("tools/list", [Step::Fail(-32000, "no database".to_owned())]),
        )
        .start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).connect().await;
    assert_eq!(client.call("say", json!({"n": 1})).await.said()["n"], 1);
    let looks = gateway.kernel.look(true, |_| {}).await;
    let health: Vec<String> = looks
        .iter()
        .map(|status| match &status.health {
            Health::Error(error) => format!("{}: {error}", status.id),
            health => format!("{}: {health:?}", status.id),
        })
        .collect();
    assert_eq!(
        health,
        [
            "good: Started",
            "silent: connected, but what it offers could not be read: it has not answered yet",
            "failing: connected, but what it offers could not be read: `tools/list` was answered `no database`",
        ]
    );
    let metrics = kernel::front::Front::metrics(&gateway.kernel);
    for line in [
        r#"chancery_server_up{server="good"} 1"#,
        r#"chancery_server_up{server="silent"} 0"#,
        r#"chancery_server_up{server="failing"} 0"#,
        r#"chancery_server_in_flight_calls{server="silent"} 1"#,
        r#"chancery_calls_total{server="good",method="tools/call",outcome="ok"} 1"#,
        r#"chancery_call_seconds_count{server="good"} 1"#,
        r#"chancery_requests_total{method="tools/call",outcome="ok"} 1"#,
        "chancery_missing_servers 2",
        "chancery_queued_messages 0",
    ] {
        assert!(metrics.lines().any(|found| found == line), "`{line}` is not in\n{metrics}");
    }
    gateway.stop().await;
}

#[tokio::test(start_paused = true)]
async fn why_a_server_is_not_available_is_for_whoever_owns_the_machine() {
    let gateway = gateway().upstream("lost", echo(Era::Legacy, Wire::Pipe)).start();
    let owner = gateway.client(Era::Legacy, Wire::Pipe).connect().await;
    let guest = gateway.client(Era::Legacy, Wire::Pipe).principal("guest").connect().await;
    for client in [&owner, &guest] {
        assert_eq!(client.call("say", json!({"n": 1})).await.said()["n"], 1);
    }
    gateway.server("lost").set_down(true);
    gateway.server("lost").crash();
    let (code, told) = owner.call("say", json!({})).await.error();
    assert_eq!(code, -32603);
    assert!(told.starts_with("server `lost` is not available: the process exited"), "{told}");
    let (code, told) = guest.call("say", json!({})).await.error();
    assert_eq!(code, -32603);
    assert_eq!(
        told,
        "server `lost` is not available; try again later, or ask the operator: `chancery doctor` says why"
    );
    gateway.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_crashes_again_and_again_is_tried_more_and_more_seldom() {
    let gateway = gateway().upstream("dying", Script::legacy().on("initialize", [Step::Exit])).start();
    tokio::time::advance(Duration::from_millis(1)).await;
    let mut starts = Vec::new();
    for _ in 0..10 {
        for _ in 0..60 {
            tokio::time::advance(Duration::from_secs(1)).await;
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
        }
        starts.push(gateway.server("dying").opened());
    }
    let (first, last) = (starts[0], starts[9] - starts[8]);
    assert!((3..=30).contains(&first), "in the first minute: {starts:?}");
    assert!((1..=3).contains(&last), "in the tenth: {starts:?}");
    gateway.stop().await;
}

#[tokio::test]
async fn a_lost_session_is_opened_anew_and_the_call_made_once_more() {
    for (era, wire) in WAYS {
        let gateway = gateway().upstream("forgetful", echo(Era::Legacy, Wire::Http)).start();
        let client = gateway.client(era, wire).ready().await;
        assert_eq!(client.call("say", json!({"n": 1})).await.said()["n"], 1);
        let hellos = gateway.server("forgetful").count_of("initialize");
        gateway.server("forgetful").forget_sessions();
        assert_eq!(client.call("say", json!({"n": 2})).await.said()["n"], 2, "{era:?} {wire:?}");
        assert!(gateway.server("forgetful").count_of("initialize") > hellos);
        let calls = gateway.server("forgetful").params_of("tools/call");
        let calls: Vec<&Value> = calls.iter().map(|call| &call["arguments"]["n"]).collect();
        assert!(calls == [1, 2, 2] || calls == [1, 2], "sent again at most once: {calls:?}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn subscriptions_are_restored_on_a_fresh_connection() {
    for wire in WIRES {
        let script = Script::legacy()
            .over_http(wire == Wire::Http)
            .resource("test://one", [Step::answer(r#"{"contents":[]}"#)])
            .tool("say", [Step::answer(ECHO)]);
        let gateway = gateway().upstream("library", script).start();
        let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
        assert!(!client.request("resources/subscribe", json!({"uri": "test://one"})).await.is_error());
        let server = gateway.server("library");
        if wire == Wire::Pipe {
            server.crash();
            server.until("the end", |server| server.opened() >= 1).await;
        } else {
            server.forget_sessions();
        }
        // The next use opens the connection anew; within the backoff it may be refused once or twice.
        while client.call("say", json!({})).await.is_error() {
            tokio::task::yield_now().await;
        }
        server
            .until("the subscription", |server| server.count_of("resources/subscribe") >= 2)
            .await;
        if wire == Wire::Http {
            server.until("the stream", |server| server.streams() > 0).await;
        }
        server.say("notifications/resources/updated", r#"{"uri":"test://one"}"#);
        client.notification("notifications/resources/updated").await;
        gateway.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_cached_catalogue_answers_at_once_while_servers_start() {
    let cache = Arc::new(MemoryCache::default());
    let first = gateway()
        .upstream("slow", echo(Era::Legacy, Wire::Pipe))
        .cache(cache.clone())
        .start();
    let client = first.client(Era::Legacy, Wire::Pipe).connect().await;
    assert_eq!(client.tools().await, ["say"]);
    first.stop().await;

    let slow = echo(Era::Legacy, Wire::Pipe).on("initialize", [Step::Hang]);
    for (era, wire) in WAYS {
        let again = gateway().upstream("slow", slow.clone()).cache(cache.clone()).start();
        let started = tokio::time::Instant::now();
        let client = again.client(era, wire).connect().await;
        let listed = client.request("tools/list", json!({})).await.result();
        assert_eq!(listed["tools"][0]["name"], "say");
        assert_within(Duration::from_millis(100), started, format_args!("{era:?} {wire:?}"));
        again.stop().await;
    }

    let changed = Script::legacy().tool("new", [Step::answer(ECHO)]);
    let again = gateway().upstream("slow", changed).cache(cache).start();
    let client = again.client(Era::Legacy, Wire::Pipe).ready().await;
    while client.tools().await != ["new"] {
        client.notification("notifications/tools/list_changed").await;
    }
    again.stop().await;
}

#[tokio::test]
async fn a_server_to_start_on_use_is_started_by_its_first_call_only() {
    let cache = Arc::new(MemoryCache::default());
    let lazy = |spec: &mut kernel::spec::ServerSpec| spec.start = Start::OnUse;
    let first = gateway()
        .upstream("lazy", echo(Era::Legacy, Wire::Pipe))
        .cache(cache.clone())
        .start();
    assert_eq!(first.client(Era::Legacy, Wire::Pipe).connect().await.tools().await, ["say"]);
    first.stop().await;
    let again = gateway()
        .upstream_with("lazy", echo(Era::Legacy, Wire::Pipe), lazy)
        .cache(cache)
        .start();
    let client = again.client(Era::Legacy, Wire::Pipe).connect().await;
    assert_eq!(client.tools().await, ["say"]);
    assert_eq!(again.server("lazy").opened(), 0, "a list starts nothing that is known");
    assert_eq!(client.call("say", json!({"a": 1})).await.said()["a"], 1);
    assert!(again.server("lazy").opened() > 0);
    again.stop().await;
}

#[tokio::test]
async fn a_reload_keeps_what_did_not_change() {
    let gateway = gateway()
        .upstream("stays", echo(Era::Legacy, Wire::Pipe))
        .upstream(
            "goes",
            Script::legacy().tool("gone", [Step::answer(ECHO)]).tool("slow", [Step::Hang]),
        )
        .start();
    let client = gateway.client(Era::Legacy, Wire::Http).connect().await;
    assert_eq!(client.tools().await, ["say", "gone", "slow"]);
    assert_eq!(client.call("say", json!({"a": 1})).await.said()["a"], 1);
    let opened = gateway.server("stays").opened();
    let doomed = client.start_call("slow", json!({})).await;
    gateway.server("goes").nth("tools/call", 1).await;
    assert_eq!(client.listen(None).await.1, 200);
    client.mailbox().drain();

    let mut settings = gateway.settings.clone();
    settings.servers.retain(|spec| spec.id.as_str() == "stays");
    gateway.kernel.reload(settings);
    client.notification("notifications/tools/list_changed").await;
    assert_eq!(client.tools().await, ["say"]);
    assert!(client.reply(&doomed).await.is_error(), "its call is answered");
    gateway.server("goes").until("its end", |server| server.live() == 0).await;
    assert_eq!(client.call("say", json!({"a": 2})).await.said()["a"], 2);
    assert_eq!(gateway.server("stays").opened(), opened, "and its connections live on");
    let (_, text) = client.call("gone", json!({})).await.error();
    assert!(text.contains("gone"), "{text}");

    gateway.kernel.reload(gateway.settings.clone());
    client.notification("notifications/tools/list_changed").await;
    assert_eq!(client.tools().await, ["say", "gone", "slow"]);
    assert_eq!(gateway.server("stays").opened(), opened);

    let mut changed = gateway.settings.clone();
    changed.servers[0].prefix = true;
    gateway.kernel.reload(changed);
    while client.tools().await != ["stays__say", "gone", "slow"] {
        client.notification("notifications/tools/list_changed").await;
    }
    gateway.stop().await;
}

#[tokio::test]
async fn a_server_that_can_not_be_configured_is_in_error_and_the_others_start() {
    let gateway = gateway()
        .upstream_with("unset", echo(Era::Legacy, Wire::Pipe), |spec| {
            spec.launch = Err("the variable `TOKEN` is not set".to_owned())
        })
        .upstream("good", echo(Era::Legacy, Wire::Pipe))
        .start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).connect().await;
    let listed = client.request("tools/list", json!({})).await.result();
    assert_eq!(listed["_meta"]["dev.chancery/missing"], json!(["unset"]));
    assert_eq!(listed["tools"].as_array().map(Vec::len), Some(1));
    let status = gateway.kernel.status();
    assert!(format!("{:?}", status[0].health).contains("TOKEN"));
    gateway.stop().await;
}

#[tokio::test]
async fn a_hundred_servers_are_one_list_in_their_order() {
    let mut builder = gateway();
    for number in 0..100 {
        let way = WAYS[number % WAYS.len()];
        builder = builder.upstream(
            &format!("s{number:02}"),
            echo(way.0, way.1).tool(&format!("own-{number:02}"), [Step::answer(ECHO)]),
        );
    }
    let gateway = builder.start();
    for (era, wire) in WAYS {
        let client = gateway.client(era, wire).connect().await;
        let tools = client.tools().await;
        let expected: Vec<String> = (0..100).flat_map(|n| [format!("s{n:02}__say"), format!("own-{n:02}")]).collect();
        assert_eq!(tools.len(), 200);
        let mut sorted = (tools.clone(), expected);
        sorted.0.sort();
        sorted.1.sort();
        assert_eq!(sorted.0, sorted.1);
        assert_eq!(tools, client.tools().await, "always in the same order");
        assert_eq!(client.call("s42__say", json!({"n": 42})).await.said()["n"], 42);
        assert_eq!(client.call("own-77", json!({"n": 77})).await.said()["n"], 77);
    }
    gateway.stop().await;
}

#[tokio::test]
async fn a_legacy_session_resumes_its_streams() {
    let script = Script::legacy()
        .tool(
            "work",
            [
                Step::notify("notifications/progress", r#"{"progressToken":$token,"progress":1}"#),
                Step::gate("gone"),
                Step::notify("notifications/progress", r#"{"progressToken":$token,"progress":2}"#),
                Step::answer(ECHO),
            ],
        )
        .tool("say", [Step::answer(ECHO)]);
    let gateway = gateway().upstream("far", script).start();
    let client = gateway.client(Era::Legacy, Wire::Http).ready().await;
    let call = client.start_call_with_progress("work", json!({"a": 1}), json!(1)).await;
    let first = client.mailbox().take("progress", |a| a.calls("notifications/progress")).await;
    let event = first.event.expect("events of a legacy session have ids");
    call.close();
    gateway.server("far").open_gate("gone");
    let (_, status) = client.listen(Some(&event)).await;
    assert_eq!(status, 200);
    let second = client.mailbox().take("the rest", |a| a.calls("notifications/progress")).await;
    assert_eq!(second.message.and_then(|m| m.params()).expect("params").to_value()["progress"], 2);
    assert_eq!(client.reply(&call).await.said()["a"], 1);
    let (_, status) = client.listen(Some(&event)).await;
    assert_eq!(status, 200, "what is kept can be replayed again");
    client.mailbox().take("the answer again", |a| a.answers(&call.id)).await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_reload_while_a_server_starts_leaves_nothing_of_the_old_one() {
    let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;
    for (era, wire) in WAYS {
        let script = echo(Era::Legacy, Wire::Pipe).on("initialize", [Step::gate("started"), Step::answer(hello)]);
        let gateway = gateway().upstream("changing", script).start();
        let server = gateway.server("changing");
        let client = gateway.client(era, wire).capabilities(crate::form()).open();
        let listing = if era == Era::Legacy {
            client.send(r#"{"jsonrpc":"2.0","id":"hi","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"1"}}}"#).await;
            None
        } else {
            Some(client.start("tools/list", json!({})).await)
        };
        server.nth("initialize", 1).await;
        let mut settings = gateway.settings.clone();
        settings.servers[0].digest = "changed".to_owned();
        gateway.kernel.reload(settings);
        let old = server.opened();
        server.open_gate("started");
        if let Some(listing) = listing {
            client.reply(&listing).await;
        }
        let other = gateway.client(Era::Legacy, Wire::Pipe).connect().await;
        assert_eq!(other.tools().await, ["say"], "{era:?} {wire:?}");
        assert_eq!(other.call("say", json!({"a": 1})).await.said()["a"], 1);
        let call = server.received_of("tools/call").pop().expect("a call");
        assert!(
            call.connection > old,
            "{era:?} {wire:?}: the call went to the old server's connection {} of {old}",
            call.connection
        );
        client.leave().await;
        other.leave().await;
        server.until("the end of the old server", |server| server.live() <= 1).await;
        gateway.stop().await;
    }
}
