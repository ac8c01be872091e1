//! Two things at once: a revoke and a call, two operators, a person who is asked and a client that no longer waits.

use std::time::Duration;

use kernel::operator::{Operations, OperatorError, Waiting};
use model::{Access, GrantScope, PrincipalId, RequestId, ServerId};
use policy::{Answer, DecideError, DefaultAccess, Origin};
use serde_json::{Value, json};
use testkit::{Arrived, Builder, Client, Era, Gateway, Script, Step, Wire, gateway};

use super::{grant_of, guarded, operations, rejection, risky, token_of};
use crate::{ECHO, ERAS, StartWithStore as _, WAYS, form, pairs};

fn fs() -> GrantScope {
    GrantScope::Server(ServerId::new("fs").expect("a good id"))
}

fn bob() -> PrincipalId {
    PrincipalId::new("bob")
}

/// Returns a gateway where principals need a grant.
fn opt_in(built: Builder) -> Builder {
    built.guarded(|security| security.principals.push((bob(), Origin::Remote)))
}

async fn granted(gateway: &Gateway, operations: &Operations) {
    // Only what is known is granted.
    gateway.client(Era::Legacy, Wire::Pipe).connect().await.tools().await;
    operations.grant(grant_of("bob", "fs", Access::Allow)).await.expect("granted");
}

fn calls(gateway: &Gateway) -> usize {
    gateway.server("fs").count_of("tools/call")
}

/// Returns the first call that waits for a person.
async fn waiting(operations: &Operations) -> Waiting {
    let mut changes = operations.changes();
    loop {
        if let Some(waiting) = operations.approvals().into_iter().next() {
            return waiting;
        }
        changes.changed().await.expect("the operations is open");
    }
}

/// Returns whether an answer refuses, in whichever of the two shapes.
fn is_refused(reply: &testkit::Reply) -> bool {
    reply.is_error() || reply.result()["isError"] == true
}

/// DESIGN 9: the call has been placed and waits to be written to a server that does not read. The last look keeps it
/// back, and its caller is told.
#[tokio::test]
async fn a_call_that_waits_to_be_written_is_kept_back_by_the_last_look() {
    for era in ERAS {
        let gateway = opt_in(guarded(era)).start_with_store().await;
        let (operations, server) = (operations(&gateway), gateway.server("fs"));
        granted(&gateway, &operations).await;
        let client = gateway.client(era, Wire::Pipe).principal("bob").ready().await;
        assert!(!client.call("look", json!({})).await.is_error(), "its connection is there");
        let before = calls(&gateway);
        server.stop_reading();
        let made = [
            client.start_call("look", json!({"n": 1})).await,
            client.start_call("look", json!({"n": 2})).await,
        ];
        while gateway.kernel.census()[2] < made.len() {
            tokio::task::yield_now().await;
        }
        operations.revoke(&bob(), &fs()).await.expect("revoked");
        server.read_on();
        for call in &made {
            assert!(is_refused(&client.reply(call).await), "{era:?}");
        }
        assert_eq!(
            calls(&gateway),
            before,
            "{era:?}: nothing is written after the answer to the revoke"
        );
        gateway.stop().await;
    }
}

/// The call is admitted and on record, and waits for its server to come up: it is not sent any more.
#[tokio::test]
async fn a_call_that_is_queued_does_not_leave_after_a_revoke() {
    for (era, wire) in WAYS {
        let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;
        let script = risky(Era::Legacy).on("initialize", [Step::gate("up"), Step::answer(hello)]);
        let gateway = opt_in(gateway().upstream("fs", script)).start_with_store().await;
        let (operations, server) = (operations(&gateway), gateway.server("fs"));
        server.open_gate("up");
        granted(&gateway, &operations).await;
        // Another client has brought the server up, so that its tools are known.
        let seen = gateway.client(Era::Legacy, Wire::Pipe).principal("bob").connect().await;
        assert_eq!(seen.tools().await, ["look", "change", "destroy"]);
        server.crash();
        server.until("its end", |server| server.live() == 0).await;
        server.shut_gate("up");
        let hellos = server.count_of("initialize");
        let client = gateway.client(era, wire).principal("bob").connect().await;
        let call = client.start_call("look", json!({})).await;
        server.nth("initialize", hellos + 1).await;
        operations.revoke(&bob(), &fs()).await.expect("revoked");
        server.open_gate("up");
        assert!(is_refused(&client.reply(&call).await), "{era:?} {wire:?}");
        assert_eq!(calls(&gateway), 0, "{era:?} {wire:?}");
        gateway.stop().await;
    }
}

/// What is with the server already can't be called back; it is the last.
#[tokio::test]
async fn a_call_that_is_half_way_is_the_last_one() {
    for (era, wire) in WAYS {
        let script = Script::of(era).tool("look", [Step::gate("go on"), Step::answer(ECHO)]);
        let gateway = opt_in(gateway().upstream("fs", script)).start_with_store().await;
        let operations = operations(&gateway);
        granted(&gateway, &operations).await;
        let client = gateway.client(era, wire).principal("bob").ready().await;
        let call = client.start_call("look", json!({"n": 1})).await;
        gateway.server("fs").nth("tools/call", 1).await;
        operations.revoke(&bob(), &fs()).await.expect("revoked");
        assert!(is_refused(&client.call("look", json!({"n": 2})).await));
        gateway.server("fs").open_gate("go on");
        client.reply(&call).await;
        assert_eq!(calls(&gateway), 1, "{era:?} {wire:?}");
        gateway.stop().await;
    }
}

/// What a person says to a question from before a revoke brings nothing back, "always" neither.
#[tokio::test]
async fn an_answer_that_comes_after_the_revoke_lets_nothing_through() {
    for ((era, wire), decision) in pairs(WAYS, ["once", "always"]) {
        let gateway = opt_in(guarded(era)).start_with_store().await;
        let operations = operations(&gateway);
        granted(&gateway, &operations).await;
        let client = gateway.client(era, wire).principal("bob").capabilities(form()).ready().await;
        let call = client.start_call("destroy", json!({})).await;
        let answer = json!({"action": "accept", "content": {"decision": decision}});
        let reply = if era == Era::Legacy {
            let question = client.question().await;
            operations.revoke(&bob(), &fs()).await.expect("revoked");
            client.answer(&question, answer).await;
            client.reply(&call).await
        } else {
            let state = client.reply(&call).await.state();
            operations.revoke(&bob(), &fs()).await.expect("revoked");
            let responses = json!({"consent": answer});
            let params = json!({"name": "destroy", "arguments": {}, "requestState": state, "inputResponses": responses});
            client.request("tools/call", params).await
        };
        assert!(is_refused(&reply), "{era:?} {wire:?} {decision}: {:?}", reply.message);
        assert_eq!(operations.grants().await.expect("readable"), [], "{era:?} {wire:?} {decision}");
        assert_eq!(calls(&gateway), 0);
        gateway.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_input_of_two_operators_who_decide_at_once_one_wins_and_the_other_is_told() {
    let gateway = guarded(Era::Legacy).start_with_store().await;
    let operations = operations(&gateway);
    let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
    let mut passed = 0;
    for round in 0..20 {
        let call = client.start_call("destroy", json!({"round": round})).await;
        let request = waiting(&operations).await.approval.request;
        let decide = |answer| {
            let (operations, request) = (operations.clone(), request.clone());
            tokio::spawn(async move { operations.decide(&request, answer).await })
        };
        let (yes, no) = (decide(Answer::Approve), decide(Answer::Deny));
        let (yes, no) = (yes.await.expect("no panic"), no.await.expect("no panic"));
        assert!(yes.is_ok() != no.is_ok(), "round {round}: {yes:?} {no:?}");
        let told = if yes.is_ok() { &no } else { &yes };
        let told = told.as_ref().expect_err("the other one");
        assert!(matches!(told, OperatorError::Decide(DecideError::Already(..))), "{told}");
        let reply = client.reply(&call).await;
        assert_eq!(is_refused(&reply), no.is_ok(), "round {round}: what was answered is what happens");
        passed += usize::from(yes.is_ok());
        assert_eq!(calls(&gateway), passed);
    }
    gateway.stop().await;
}

/// A call whose client no longer waits is not made, even if a person says yes.
#[tokio::test]
async fn a_call_that_was_cancelled_while_a_person_was_asked_is_not_made() {
    for (era, wire) in WAYS {
        let gateway = guarded(era).start();
        let operations = operations(&gateway);
        let client = gateway.client(era, wire).principal("local").ready().await;
        let call = client.start_call("destroy", json!({})).await;
        let request = waiting(&operations).await.approval.request;
        client.cancel(&call).await;
        // What is sent after the cancellation is heard after it.
        client.tools().await;
        drop(operations.decide(&request, Answer::Approve).await);
        assert_eq!(client.call("look", json!({"a": 1})).await.said(), json!({"a": 1}));
        let called = gateway.server("fs").params_of("tools/call");
        let names: Vec<&Value> = called.iter().map(|call| &call["name"]).collect();
        assert_eq!(names, ["look"], "{era:?} {wire:?}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn nobody_decides_about_what_has_expired() {
    let gateway = guarded(Era::Legacy)
        .guarded(|security| security.approval_ttl = Duration::from_millis(20))
        .start();
    let operations = operations(&gateway);
    let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
    let told = rejection(&client.call("destroy", json!({})).await);
    let request = RequestId::new(told["details"]["request_id"].as_str().unwrap_or("none"));
    while !operations.approvals().is_empty() {
        tokio::task::yield_now().await;
    }
    let late = operations.decide(&request, Answer::Approve).await;
    assert!(matches!(late, Err(OperatorError::Decide(_))), "{late:?}");
    // The client's own person is asked in vain: the call ends, and says why.
    let asked = gateway.client(Era::Legacy, Wire::Pipe).capabilities(form()).ready().await;
    let told = rejection(&asked.call("destroy", json!({"n": 2})).await);
    assert_eq!(told["code"], 1000, "{told}");
    assert!(
        told["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("expired") || reason.contains("in time")),
        "{told}"
    );
    assert_eq!(calls(&gateway), 0);
    gateway.stop().await;
}

/// 100 of one principal, 1,000 of all: what is beyond is refused clearly, and what waits goes on waiting.
#[tokio::test]
async fn bad_input_a_thousand_calls_wait_and_the_next_one_is_told() {
    let gateway = guarded(Era::Legacy)
        .guarded(|security| {
            security.tables.access = Some(DefaultAccess::OptOut);
            security.approval_hold = Duration::ZERO;
        })
        .start();
    let operations = operations(&gateway);
    let client = async |who: usize| gateway.client(Era::Legacy, Wire::Pipe).principal(&format!("p{who}")).ready().await;
    let ask = async |client: &Client, n: usize| rejection(&client.call("destroy", json!({"n": n})).await);
    for who in 0..10 {
        let client = client(who).await;
        for n in 0..100 {
            assert!(ask(&client, n).await["details"]["request_id"].is_string(), "p{who}, {n}");
        }
        if who == 0 {
            let told = ask(&client, 100).await;
            let reason = told["reason"].as_str().unwrap_or_default();
            assert!(reason.contains("100") && told["retryable"] == true, "{told}");
        }
        client.leave().await;
    }
    let told = ask(&client(10).await, 0).await;
    let reason = told["reason"].as_str().unwrap_or_default();
    assert!(
        reason.contains("1000") && told["retryable"] == true && told["details"]["request_id"].is_null(),
        "{told}"
    );
    assert_eq!(operations.approvals().len(), 1000);
    let first = operations.approvals().remove(0).approval.request;
    operations.decide(&first, Answer::Deny).await.expect("it waits");
    let told = ask(&client(10).await, 0).await;
    assert!(told["details"]["request_id"].is_string(), "there is room again: {told}");
    gateway.stop().await;
}

/// A client that connected with a revoked token can do nothing more, in the middle of a session, nor finish a call that
/// a person was asked about before.
#[tokio::test]
async fn row_14_3_1002_a_token_that_is_revoked_ends_what_a_session_may() {
    for (era, wire) in WAYS {
        let gateway = opt_in(guarded(era)).start_with_store().await;
        let operations = operations(&gateway);
        granted(&gateway, &operations).await;
        operations.create_token(token_of("ci", "bob")).await.expect("made");
        let client = gateway.client(era, wire).principal("bob").token("ci").ready().await;
        assert!(!client.call("look", json!({})).await.is_error());
        let call = client.start_call("destroy", json!({})).await;
        let request = waiting(&operations).await.approval.request;
        operations.revoke_token("ci").await.expect("revoked");
        drop(operations.decide(&request, Answer::Approve).await);
        assert!(is_refused(&client.reply(&call).await), "{era:?} {wire:?}");
        assert!(is_refused(&client.call("look", json!({})).await), "{era:?} {wire:?}");
        let listed = client.request("tools/list", json!({})).await;
        assert!(
            listed.is_error() || listed.result()["tools"] == json!([]),
            "{era:?} {wire:?}: {:?}",
            listed.message
        );
        assert!(client.mailbox().take_now(Arrived::asks).is_none());
        assert_eq!(calls(&gateway), 1, "{era:?} {wire:?}");
        gateway.stop().await;
    }
}
