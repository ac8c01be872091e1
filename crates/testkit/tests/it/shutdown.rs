//! The end of the gateway: every client that waits for an answer gets one.

use std::time::Duration;

use serde_json::json;
use testkit::{Era, Script, Step, Wire, gateway};

use crate::{WAYS, assert_within};

fn hanging(wire: Wire) -> Script {
    Script::legacy().over_http(wire == Wire::Http).tool("hang", [Step::Hang])
}

#[tokio::test(start_paused = true)]
async fn a_call_in_flight_is_answered_with_an_error() {
    for (era, wire) in WAYS {
        let gateway = gateway().upstream("far", hanging(Wire::Pipe)).start();
        let client = gateway.client(era, wire).connect().await;
        assert_eq!(client.tools().await, ["hang"]);
        let call = client.start_call("hang", json!({})).await;
        gateway.server("far").nth("tools/call", 1).await;
        let before = tokio::time::Instant::now();
        gateway.stop().await;
        let (_, text) = client.reply(&call).await.error();
        assert!(text.contains("far") && text.contains("shutting down"), "{era:?} {wire:?}: {text}");
        assert_within(Duration::from_secs(2), before, format_args!("{era:?} {wire:?}"));
    }
}

/// Servers over HTTP are not asked to end, so that nothing else would end what waits for them; nor for one that is still starting.
#[tokio::test(start_paused = true)]
async fn a_call_that_no_servers_end_reaches_is_answered_too() {
    for (era, wire) in WAYS {
        let starting = Script::legacy().on("initialize", [Step::Hang]);
        let gateway = gateway()
            .upstream("far", hanging(Wire::Http))
            .upstream("starting", starting)
            .start();
        let client = gateway.client(era, wire).connect().await;
        assert_eq!(client.tools().await, ["hang"]);
        let calls = [
            client.start_call("hang", json!({})).await,
            client.start("resources/read", json!({"uri": "test://nobody"})).await,
        ];
        gateway.server("far").nth("tools/call", 1).await;
        let before = tokio::time::Instant::now();
        gateway.stop().await;
        assert_within(Duration::from_secs(2), before, format_args!("{era:?} {wire:?}"));
        for call in &calls {
            assert!(client.reply(call).await.is_error(), "{era:?} {wire:?}");
        }
    }
}

/// 2026-07-28 basic/patterns/subscriptions: the end that closes a stream in an orderly way answers its request.
#[tokio::test(start_paused = true)]
async fn a_stream_of_subscriptions_is_ended_with_its_answer() {
    for (server, wire) in WAYS {
        let script = Script::of(server).resource("test://one", [Step::answer(r#"{"contents":[]}"#)]);
        let gateway = gateway().upstream("library", script).start();
        let client = gateway.client(Era::Modern, wire).connect().await;
        let filter = json!({"notifications": {"resourceSubscriptions": ["test://one"], "resourcesListChanged": true}});
        let stream = client.start("subscriptions/listen", filter).await;
        client.notification("notifications/subscriptions/acknowledged").await;
        let before = tokio::time::Instant::now();
        gateway.stop().await;
        let end = client.mailbox().take("the answer", |arrived| arrived.answers(&stream.id)).await;
        let result = end.message.and_then(|message| message.result_raw()).expect("a result").to_value();
        assert_eq!(result["resultType"], "complete", "{server:?} for {wire:?}: {result}");
        assert_eq!(
            result["_meta"]["io.modelcontextprotocol/subscriptionId"],
            stream.id.raw().to_value(),
            "{server:?} for {wire:?}: {result}"
        );
        if wire == Wire::Http {
            let number = stream.number;
            client
                .mailbox()
                .take("the end of the stream", |arrived| arrived.exchange == number && arrived.end)
                .await;
        }
        assert_within(Duration::from_secs(2), before, format_args!("{server:?} for {wire:?}"));
        client.leave().await;
        assert_eq!(gateway.kernel.census(), [0; 5], "{server:?} for {wire:?}");
    }
}
