//! The machine's clock jumps: nothing that has expired comes back, and nothing ends before its time (MGP §5.4, D16; `docs/operate/security.md`, Time).

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use kernel::operator::{NewGrant, NewToken, OperatorError};
use model::{Access, Permission, PermissionAnswer, PrincipalId, RequestId, Timestamp};
use policy::{Answer, Origin};
use serde_json::json;
use store::Clock;
use testkit::{Client, Era, Gateway, Script, Step, Wire, gateway};

use super::{grant_of, guarded, operations, rejection, server_id, speaking, token_of, until};
use crate::{ECHO, StartWithStore as _, WAYS};

const NOON: i64 = 1_795_003_200_000;
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// A clock that a test sets.
#[derive(Clone)]
struct Hands(Arc<AtomicI64>);

impl Hands {
    fn at_noon() -> Self {
        Self(Arc::new(AtomicI64::new(NOON)))
    }

    fn clock(&self) -> Clock {
        let hands = self.0.clone();
        Clock::new(move || Timestamp(hands.load(Ordering::Acquire)))
    }

    /// Returns the instant so many milliseconds from noon.
    fn set(&self, from_noon: i64) {
        self.0.store(NOON + from_noon, Ordering::Release);
    }
}

/// Returns a gateway where `bob` holds a grant of one tool until a quarter past, and its clock at noon.
async fn until_a_quarter_past(era: Era) -> (Gateway, Hands) {
    let hands = Hands::at_noon();
    let gateway = guarded(era)
        .guarded(|security| {
            security.principals.push((PrincipalId::new("bob"), Origin::Remote));
            security.approval_hold = Duration::ZERO;
            security.approval_ttl = Duration::from_secs(300);
        })
        .clock(hands.clock())
        .start_with_store()
        .await;
    gateway.client(era, Wire::Pipe).principal("bob").connect().await.tools().await;
    let grant = |scope: &str, expires| NewGrant {
        expires,
        ..grant_of("bob", scope, Access::Allow)
    };
    let soon = Some(Timestamp(NOON + 15 * MINUTE));
    operations(&gateway).grant(grant("fs/look", soon)).await.expect("granted");
    operations(&gateway).grant(grant("fs/destroy", None)).await.expect("granted");
    (gateway, hands)
}

async fn bob(gateway: &Gateway, era: Era, wire: Wire) -> Client {
    gateway.client(era, wire).principal("bob").ready().await
}

async fn may_look(client: &Client) -> bool {
    let reply = client.call("look", json!({})).await;
    match reply.result()["isError"] == true {
        true => assert_eq!(rejection(&reply)["code"], 1001),
        false => assert_eq!(reply.said(), json!({})),
    }
    reply.result()["isError"] != true
}

#[tokio::test]
async fn row_5_4x_an_expired_grant_is_1001_and_not_listed() {
    for (era, wire) in WAYS {
        let (gateway, hands) = until_a_quarter_past(era).await;
        let client = bob(&gateway, era, wire).await;
        assert!(may_look(&client).await, "{era:?} {wire:?}");
        hands.set(15 * MINUTE - 5_000);
        assert!(may_look(&client).await, "{era:?} {wire:?}: it holds to its last moment");
        assert_eq!(client.tools().await, ["look", "destroy"]);
        hands.set(15 * MINUTE + 1);
        let calls = gateway.server("fs").count_of("tools/call");
        assert!(!may_look(&client).await, "{era:?} {wire:?}");
        assert_eq!(gateway.server("fs").count_of("tools/call"), calls);
        assert_eq!(client.tools().await, ["destroy"], "{era:?} {wire:?}");
        let blocked = until(&gateway, "TOOL_BLOCKED", 1).await.remove(0);
        assert_eq!(blocked["details"]["code"], 1001, "{blocked}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn bad_input_a_clock_that_jumps_neither_revives_a_grant_nor_ends_one() {
    // From noon, and whether a grant until a quarter past holds then.
    let journeys: [&[(i64, bool)]; 5] = [
        &[(14 * MINUTE, true), (-24 * HOUR, true), (13 * MINUTE, true), (16 * MINUTE, false)],
        &[(-24 * HOUR, true), (0, true), (24 * HOUR, false)],
        &[(16 * MINUTE, false), (0, false), (-24 * HOUR, false), (14 * MINUTE, false)],
        &[(365 * 24 * HOUR, false), (0, false)],
        &[(i64::MIN / 2, true), (14 * MINUTE, true)],
    ];
    for journey in journeys {
        let (gateway, hands) = until_a_quarter_past(Era::Legacy).await;
        let client = bob(&gateway, Era::Legacy, Wire::Pipe).await;
        for (at, holds) in journey {
            hands.set(*at);
            assert_eq!(may_look(&client).await, *holds, "{at} ms from noon, of {journey:?}");
            assert_eq!(client.tools().await.len(), 1 + usize::from(*holds));
        }
        gateway.stop().await;
    }
}

/// A clock that is set back is no way to keep a grant: its time goes on meanwhile.
#[tokio::test]
async fn bad_input_a_clock_that_was_set_back_prolongs_nothing() {
    let (gateway, hands) = until_a_quarter_past(Era::Legacy).await;
    let client = bob(&gateway, Era::Legacy, Wire::Pipe).await;
    hands.set(15 * MINUTE - 50);
    client.tools().await;
    hands.set(-HOUR);
    let until = std::time::Instant::now() + testkit::PATIENCE;
    while may_look(&client).await {
        assert!(std::time::Instant::now() < until, "50 ms are over");
    }
    gateway.stop().await;
}

#[tokio::test]
async fn bad_input_a_clock_that_jumps_revives_no_approval_and_ends_none_before_its_time() {
    // When a person approves, and when the call is made again: five minutes are given.
    for (approved, called, passes) in [
        (0, 4 * MINUTE, true),
        (-HOUR, -2 * HOUR, true),
        (4 * MINUTE, -HOUR, true),
        (MINUTE, 6 * MINUTE, false),
    ] {
        let (gateway, hands) = until_a_quarter_past(Era::Legacy).await;
        let client = bob(&gateway, Era::Legacy, Wire::Pipe).await;
        let told = rejection(&client.call("destroy", json!({})).await);
        let request = RequestId::new(told["details"]["request_id"].as_str().expect("a request"));
        hands.set(approved);
        operations(&gateway).decide(&request, Answer::Approve).await.expect("it waits");
        hands.set(called);
        let reply = client.call("destroy", json!({})).await;
        assert_eq!(
            reply.result()["isError"] != true,
            passes,
            "approved at {approved}, called at {called}"
        );
        gateway.stop().await;
    }
    // What has expired stays so, wherever the clock goes.
    let (gateway, hands) = until_a_quarter_past(Era::Legacy).await;
    let client = bob(&gateway, Era::Legacy, Wire::Pipe).await;
    let told = rejection(&client.call("destroy", json!({})).await);
    let request = RequestId::new(told["details"]["request_id"].as_str().expect("a request"));
    assert_eq!(operations(&gateway).approvals().len(), 1);
    hands.set(6 * MINUTE);
    assert_eq!(operations(&gateway).approvals().len(), 0);
    for back in [0, -HOUR] {
        hands.set(back);
        let late = operations(&gateway).decide(&request, Answer::Approve).await;
        assert!(matches!(late, Err(OperatorError::Decide(_))), "{late:?}");
        let again = rejection(&client.call("destroy", json!({})).await);
        assert_ne!(again["details"]["request_id"], request.as_str(), "asked anew: {again}");
    }
    gateway.stop().await;
}

/// MGP D4: what was approved until some time is denied from then on: policy, audit and server agree.
#[tokio::test]
async fn d4_row_3_6_an_approved_permission_expires_and_its_server_is_told() {
    let hands = Hands::at_noon();
    let mut capabilities = speaking(Era::Legacy, json!({"tools": {}}), &["security"]);
    capabilities["mgp"]["permissions_required"] = json!(["filesystem.write"]);
    let script = Script::legacy()
        .tool("say", [Step::answer(ECHO)])
        .capabilities(capabilities)
        .on("mgp/permission/await", [Step::answer("{}")])
        .on("mgp/permission/grant", [Step::answer("{}")]);
    let gateway = gateway()
        .upstream("s", script)
        .guarded(|_| {})
        .clock(hands.clock())
        .start_with_store()
        .await;
    let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    gateway.server("s").nth("mgp/permission/await", 1).await;
    let permission = Permission::new("filesystem.write");
    // Real time goes on as well: what has that long to go is over soon, by the machine's own clock or not.
    hands.set(0);
    let soon = Some(Timestamp(NOON + 400));
    let (operations, id) = (operations(&gateway), server_id("s"));
    let decided = operations
        .decide_permission(&id, &permission, PermissionAnswer::Approved, soon)
        .await;
    decided.expect("decided");
    let granted = gateway.server("s").nth("mgp/permission/grant", 1).await.params();
    assert_eq!(granted["grants"], json!({"filesystem.write": "approved"}));
    assert_eq!(granted["approved_by"], "olga", "{granted}");
    assert!(granted["expires_at"].is_string(), "{granted}");
    hands.set(-HOUR);
    let revoked = gateway.server("s").nth("mgp/permission/grant", 2).await.params();
    assert_eq!(revoked["grants"], json!({"filesystem.write": "denied"}), "{revoked}");
    let event = until(&gateway, "PERMISSION_REVOKED", 1).await.remove(0);
    assert_eq!(event["details"]["permission"], "filesystem.write");
    assert_eq!(rejection(&client.call("say", json!({})).await)["code"], 1000);
    gateway.stop().await;
}

/// A token is 1003 once it has expired, in the middle of a session, whatever the clock does then.
#[tokio::test]
async fn row_14_3_1003_a_token_that_expires_stays_expired() {
    for (era, wire) in WAYS {
        let (gateway, hands) = until_a_quarter_past(era).await;
        let new = NewToken {
            expires: Some(Timestamp(NOON + 10 * MINUTE)),
            ..token_of("ci", "bob")
        };
        operations(&gateway).create_token(new).await.expect("made");
        let client = gateway.client(era, wire).principal("bob").token("ci").connect().await;
        assert_eq!(client.tools().await, ["look", "destroy"]);
        assert!(may_look(&client).await);
        for at in [11 * MINUTE, 0, -HOUR] {
            hands.set(at);
            assert_eq!(
                rejection(&client.call("look", json!({})).await)["code"],
                1003,
                "{era:?} {wire:?} at {at}"
            );
            assert_eq!(client.tools().await, Vec::<String>::new());
        }
        let blocked = until(&gateway, "TOOL_BLOCKED", 3).await;
        assert!(blocked.iter().all(|event| event["details"]["code"] == 1003), "{blocked:?}");
        gateway.stop().await;
    }
}
