//! DESIGN 9: what is open ends with the token that opened it.

use kernel::operator::Operations;
use policy::DefaultAccess;
use serde_json::json;
use testkit::{Arrived, Client, Era, Exchange, Gateway, Script, Step, Wire, gateway};

use super::{guarded, operations, token_of};
use crate::{ECHO, ERAS, StartWithStore as _, form};

/// Returns a client that connected with a token of that name.
async fn holder(gateway: &Gateway, operations: &Operations, era: Era, wire: Wire, name: &str) -> Client {
    operations.create_token(token_of(name, name)).await.expect("made");
    gateway.client(era, wire).principal(name).token(name).ready().await
}

/// Opens the stream on which this kind of client gets notifications.
async fn open(client: &Client, era: Era) -> Exchange {
    match era {
        Era::Legacy => {
            let (stream, status) = client.listen(None).await;
            assert_eq!(status, 200);
            stream
        }
        Era::Modern => {
            let filter = json!({"notifications": {"toolsListChanged": true}});
            let stream = client.start("subscriptions/listen", filter).await;
            client.notification("notifications/subscriptions/acknowledged").await;
            stream
        }
    }
}

#[tokio::test]
async fn a_revoked_tokens_streams_end_and_those_of_others_go_on() {
    for era in ERAS {
        let gateway = guarded(Era::Legacy).start_with_store().await;
        let operations = operations(&gateway);
        let bob = holder(&gateway, &operations, era, Wire::Http, "bob").await;
        let carol = holder(&gateway, &operations, era, Wire::Http, "carol").await;
        let (bobs, carols) = (open(&bob, era).await, open(&carol, era).await);

        operations.revoke_token("bob").await.expect("revoked");
        let is_end = |arrived: &Arrived| arrived.end && arrived.exchange == bobs.number;
        bob.mailbox().take("the end of the stream", is_end).await;
        let ended = |arrived: &Arrived| arrived.end && arrived.exchange == carols.number;
        assert!(!carol.request("tools/list", json!({})).await.is_error());
        assert!(carol.mailbox().take_now(ended).is_none(), "{era:?}");
        if era == Era::Legacy {
            assert_eq!(bob.listen(None).await.1, 404, "its session has ended");
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_revoked_tokens_calls_in_progress_end_with_an_error() {
    for (era, wire) in [(Era::Legacy, Wire::Http), (Era::Modern, Wire::Http), (Era::Modern, Wire::Pipe)] {
        let script = Script::legacy().tool("hang", [Step::Hang]);
        let guarded = gateway()
            .upstream("fs", script)
            .guarded(|security| security.tables.access = Some(DefaultAccess::OptOut));
        let gateway = guarded.start_with_store().await;
        let operations = operations(&gateway);
        let bob = holder(&gateway, &operations, era, wire, "bob").await;
        let call = bob.start("tools/call", json!({"name": "hang", "arguments": {}})).await;
        gateway.server("fs").nth("tools/call", 1).await;
        operations.revoke_token("bob").await.expect("revoked");
        let reply = bob.reply(&call).await;
        let error = reply.message.error_raw().map(|error| error.to_value());
        let text = error.as_ref().and_then(|error| error["message"].as_str());
        assert!(text.is_some_and(|text| text.contains("token")), "{era:?} {wire:?}: {error:?}");
        gateway.server("fs").nth("notifications/cancelled", 1).await;
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_revoked_tokens_parked_calls_end() {
    let script = Script::legacy().tool("ask", [Step::elicit(r#""who?""#), Step::answer(ECHO)]);
    let guarded = gateway()
        .upstream("fs", script)
        .guarded(|security| security.tables.access = Some(DefaultAccess::OptOut));
    let gateway = guarded.start_with_store().await;
    let operations = operations(&gateway);
    operations.create_token(token_of("bob", "bob")).await.expect("made");
    let builder = gateway.client(Era::Modern, Wire::Http).principal("bob").token("bob");
    let bob = builder.capabilities(form()).ready().await;
    drop(bob.call("ask", json!({})).await.state());
    assert_eq!(gateway.kernel.census()[3], 1, "the call is parked");
    operations.revoke_token("bob").await.expect("revoked");
    assert_eq!(gateway.kernel.census()[3], 0);
    gateway.server("fs").nth("notifications/cancelled", 1).await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_revoked_tokens_subscription_on_a_pipe_ends() {
    let gateway = guarded(Era::Legacy).start_with_store().await;
    let operations = operations(&gateway);
    let bob = holder(&gateway, &operations, Era::Modern, Wire::Pipe, "bob").await;
    let stream = open(&bob, Era::Modern).await;
    operations.revoke_token("bob").await.expect("revoked");
    assert!(!bob.reply(&stream).await.is_error(), "the orderly end of a subscription");
    gateway.stop().await;
}
