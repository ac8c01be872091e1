//! Tests for which requests a sealed state opens, and for which it does not.

use mcp::exchange::Peer;
use mcp::revision::Revision;

use super::*;

const TTL: Duration = Duration::from_secs(60);

fn request(params: &str) -> Request {
    let peer = Peer {
        revision: Revision::LATEST,
        capabilities: mcp::capabilities::ClientCapabilities::empty(),
        info: None,
    };
    let params: serde_json::Value = serde_json::from_str(params).expect("good JSON");
    Request::internal("tools/call", Some(jsonrpc::Raw::of(&params)), Arc::new(peer))
}

fn consent() -> Continuation {
    Continuation::Consent { request: "r1".to_owned() }
}

fn server(id: &str) -> ServerId {
    ServerId::new(id).expect("a good id")
}

#[tokio::test(start_paused = true)]
async fn it_opens_for_its_principal_server_and_request_and_for_no_other() {
    let seal = Seal::new(&Runtime::new());
    let (ann, bob) = (Principal::named("ann"), Principal::named("bob"));
    let made_for = request(r#"{"name":"look","arguments":{"n":1}}"#);
    let sealed = seal.close(&ann, &server("fs"), &made_for, consent(), TTL).expect("it is small");
    let opens = |principal, id, params: &str, text: &str| seal.open(principal, &server(id), &request(params), text).is_some();
    let same = r#"{"name":"look","arguments":{"n":1}}"#;
    assert!(opens(&ann, "fs", same, &sealed));
    assert!(!opens(&bob, "fs", same, &sealed), "another principal");
    assert!(!opens(&ann, "db", same, &sealed), "another server");
    assert!(
        !opens(&ann, "fs", r#"{"name":"look","arguments":{"n":2}}"#, &sealed),
        "other arguments"
    );
    assert!(
        !opens(&ann, "fs", r#"{"name":"destroy","arguments":{"n":1}}"#, &sealed),
        "another tool"
    );
    for broken in ["", "x", &sealed[1..], &format!("{sealed}A")] {
        assert!(!opens(&ann, "fs", same, broken), "`{broken}` is not what was sealed");
    }
    let other = Seal::new(&Runtime::new());
    assert!(
        other.open(&ann, &server("fs"), &request(same), &sealed).is_none(),
        "another process"
    );
}

#[tokio::test(start_paused = true)]
async fn it_opens_within_its_time() {
    let seal = Seal::new(&Runtime::new());
    let (ann, made_for) = (Principal::named("ann"), request(r#"{"name":"look"}"#));
    let sealed = seal.close(&ann, &server("fs"), &made_for, consent(), TTL).expect("it is small");
    let opens = || seal.open(&ann, &server("fs"), &made_for, &sealed).is_some();
    tokio::time::advance(TTL - Duration::from_secs(1)).await;
    assert!(opens());
    tokio::time::advance(Duration::from_secs(2)).await;
    assert!(!opens());
}
