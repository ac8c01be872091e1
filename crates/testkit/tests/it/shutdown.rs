//! The end of the gateway: whoever waits for an answer is given one.

use std::time::Duration;

use serde_json::json;
use testkit::{Script, Step, Wire, gateway};

use crate::WAYS;

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
        assert!(
            before.elapsed() < Duration::from_secs(2),
            "{era:?} {wire:?}: {:?}",
            before.elapsed()
        );
    }
}

/// Servers over HTTP are not asked to end, so that nothing else would end what waits for them; nor for one that is still starting.
#[tokio::test(start_paused = true)]
async fn a_call_that_no_servers_end_reaches_is_answered_too() {
    for (era, wire) in WAYS.into_iter().filter(|way| *way != WAYS[3]) {
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
        assert!(
            before.elapsed() < Duration::from_secs(2),
            "{era:?} {wire:?}: {:?}",
            before.elapsed()
        );
        for call in &calls {
            assert!(client.reply(call).await.message.is_error(), "{era:?} {wire:?}");
        }
    }
}
