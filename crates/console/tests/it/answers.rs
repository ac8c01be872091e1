//! Tests that the answer of every operation fits its schema.

use kernel::http_api::Verb::{Delete, Get, Post, Put};
use model::Principal;
use serde_json::{Value, json};

use crate::live::Live;

#[tokio::test]
async fn every_answer_is_what_the_document_says() {
    let live = Live::start().await;
    let client = live.client().await;
    for body in [json!({"n": 1}), json!({"n": 2}), json!({"n": 3})] {
        client.call("destroy", body).await;
    }
    approvals(&live).await;
    permissions(&live).await;
    access(&live).await;
    tokens(&live).await;
    tools(&live).await;
    audit(&live).await;
    let (status, served) = live.ask(Get, "/openapi.json", Value::Null).await;
    assert_eq!((status, &served), (200, &live.document), "the gateway serves what is committed");
    assert_eq!(live.not_asked(), Vec::<String>::new());
    live.gateway.stop().await;
}

/// Makes a request that has to succeed, and returns the answer.
async fn done(live: &Live, verb: kernel::http_api::Verb, target: &str, body: Value) -> Value {
    let (status, answer) = live.ask(verb, target, body).await;
    assert!(status < 300, "{target}: {answer}");
    answer
}

/// Returns the entries of a list.
async fn items(live: &Live, target: &str) -> Vec<Value> {
    let page = done(live, Get, target, Value::Null).await;
    page["items"].as_array().expect("a page").clone()
}

async fn approvals(live: &Live) {
    let waiting = items(live, "/approvals").await;
    let streamed = done(live, Get, "/approvals/stream", Value::Null).await;
    assert_eq!((waiting.len(), &streamed["items"]), (3, &Value::from(waiting.clone())));
    assert_eq!(items(live, "/approvals?principal=local&server=fs&tool=destroy").await, waiting);
    assert_eq!(items(live, "/approvals?tool=look").await, Vec::<Value>::new());
    for (waiting, decision, state) in [
        (&waiting[0], json!({"decision": "deny"}), "denied"),
        (&waiting[1], json!({"decision": "approve"}), "approved"),
        (
            &waiting[2],
            json!({"decision": "approve", "always": true, "until": "2099-12-31T23:59:59Z"}),
            "approved",
        ),
    ] {
        let id = waiting["request_id"].as_str().expect("an id");
        let target = format!("/approvals/{id}/decision");
        let decided = done(live, Post, &target, decision.clone()).await;
        assert_eq!((&decided["state"], &decided["decided_by"]), (&json!(state), &json!("olga")));
        let (late, _) = live.ask(Post, &target, decision).await;
        assert!(matches!(late, 404 | 409), "of two who decide, the second is told: {late}");
    }
}

async fn permissions(live: &Live) {
    let waiting = items(live, "/permissions").await;
    let states = |all: &[Value]| all.iter().map(|one| one["state"].clone()).collect::<Vec<_>>();
    assert_eq!(states(&waiting), ["waiting", "waiting"]);
    for (permission, decision, expires) in [
        ("camera", "denied", Value::Null),
        ("memory.write", "approved", json!("2099-12-31T23:59:59+01:00")),
        ("network", "deferred", Value::Null),
    ] {
        let body = json!({"server": "wanting", "permission": permission, "decision": decision, "expires_at": expires});
        assert_eq!(done(live, Put, "/permissions", body).await["state"], decision);
    }
    assert_eq!(states(&items(live, "/permissions").await), ["denied", "approved", "deferred"]);
    let of_one = items(live, "/permissions?server=wanting&state=deferred&permission=network.outbound").await;
    assert_eq!(of_one.len(), 1);
}

async fn access(live: &Live) {
    let standing = done(live, Get, "/access/check?principal=bob&server=fs", Value::Null).await;
    assert_eq!((&standing["source"], &standing["grant"]), (&json!("default_policy"), &Value::Null));
    let whole = json!({"principal": "bob", "server": "fs", "expires_at": null, "justification": "to try"});
    let granted = done(live, Put, "/access", whole).await;
    assert_eq!((&granted["access"], &granted["tool"]), (&json!("allow"), &Value::Null));
    let one = json!({"principal": "bob", "server": "fs", "tool": "look", "access": "deny", "expires_at": "2099-01-01T00:00:00Z"});
    done(live, Put, "/access", one).await;
    for (target, source) in [("server=fs", "server_grant"), ("server=fs&tool=look", "tool_grant")] {
        let standing = done(live, Get, &format!("/access/check?principal=bob&{target}"), Value::Null).await;
        assert_eq!(standing["source"], source);
    }
    assert_eq!(items(live, "/access?principal=bob&server=fs&tool=look&access=deny").await.len(), 1);
    assert_eq!(items(live, "/access?access=neither").await, Vec::<Value>::new());
    let first = done(live, Get, "/access?principal=bob&limit=1", Value::Null).await;
    let cursor = first["next"].as_str().expect("another page").replace(' ', "+");
    let rest = done(live, Get, &format!("/access?principal=bob&cursor={cursor}"), Value::Null).await;
    assert_eq!((rest["items"].as_array().map(Vec::len), &rest["next"]), (Some(1), &Value::Null));
    let revoked = done(live, Delete, "/access?principal=bob&server=fs", Value::Null).await;
    assert_eq!(revoked["revoked"].as_array().map(Vec::len), Some(1));
}

async fn tokens(live: &Live) {
    let made = done(live, Post, "/tokens", json!({"principal": "alice", "id": null})).await;
    assert!(made["token"].as_str().is_some_and(|text| text.starts_with("chancery_")), "{made}");
    let body = json!({"id": "olgas", "principal": "olga", "role": "operator", "scopes": ["fs"], "expires_at": "2099-01-01T00:00:00Z"});
    assert_eq!(live.ask(Post, "/tokens", body).await.0, 201);
    let revoked = done(live, Delete, "/tokens/olgas", Value::Null).await;
    assert_eq!((&revoked["state"], &revoked["revoked_by"]), (&json!("revoked"), &json!("olga")));
    assert_eq!(items(live, "/tokens").await.len(), 2);
    let of_olga = items(live, "/tokens?principal=olga&role=operator&state=revoked&limit=10").await;
    assert_eq!(of_olga, [revoked]);
}

async fn tools(live: &Live) {
    let servers = items(live, "/servers?state=connected").await;
    assert_eq!((&servers[0]["id"], &servers[0]["tools"]), (&json!("fs"), &json!(3)));
    let tools = items(live, "/tools").await;
    assert_eq!(tools.len(), 4);
    assert!(
        tools.iter().any(|tool| tool["hidden"] == json!(["U+202E in `description`"])),
        "{tools:#?}"
    );
    assert_eq!(items(live, "/tools?server=fs&risk=dangerous&definition=approved").await.len(), 1);
    let pin = done(live, Post, "/tools/approve", json!({"server": "fs", "tool": "look"})).await;
    assert_eq!((&pin["tool"], &pin["approved_by"]), (&json!("look"), &json!("olga")));
}

async fn audit(live: &Live) {
    let events = items(live, "/audit?order=oldest&since=2020-01-01T00:00:00Z&until=2099-01-01T00:00:00Z").await;
    let first = done(live, Get, "/audit/stream?from=1", Value::Null).await;
    assert_eq!(&first, &events[0]);
    let granted = items(
        live,
        "/audit?type=ACCESS_GRANTED,ACCESS_REVOKED&actor=olga&server=fs&tool=look&result=success",
    )
    .await;
    assert!(
        !granted.is_empty() && granted.iter().all(|event| event["actor"]["id"] == "olga"),
        "{granted:#?}"
    );
    let page = done(live, Get, "/audit?limit=1", Value::Null).await;
    let next = page["next"].as_str().expect("another page");
    assert_eq!(items(live, &format!("/audit?limit=1&cursor={next}")).await.len(), 1);
    let trace = events[0]["trace_id"].as_str().unwrap_or("none");
    done(live, Get, &format!("/audit?trace={trace}"), Value::Null).await;
}

#[tokio::test]
async fn problems_are_what_the_document_says() {
    let live = Live::start().await;
    let (status, problem) = live.ask_as(Principal::local(), Get, "/tokens", Value::Null).await;
    assert_eq!((status, &problem["code"]), (403, &json!(1000)));
    for (verb, target, body, expected) in [
        (Get, "/tokens?cursor=gone", Value::Null, 410),
        (Get, "/nothing", Value::Null, 404),
        (Put, "/servers", json!({}), 405),
        (Put, "/access", json!({"principal": "a", "server": "nowhere"}), 404),
        (Delete, "/access?principal=a&server=fs", Value::Null, 404),
        (Delete, "/tokens/none", Value::Null, 404),
        (Post, "/approvals/x/decision", json!({"decision": "approve"}), 404),
        (Post, "/tools/approve", json!({"server": "fs", "tool": "none"}), 404),
    ] {
        assert_eq!(live.ask(verb, target, body).await.0, expected, "{target}");
    }
    live.gateway.stop().await;
}
