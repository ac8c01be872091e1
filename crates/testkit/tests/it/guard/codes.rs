//! MGP §14.3 to §14.5, D18: each code that this gateway raises, by something that happens; the same in both shapes.

use std::sync::Arc;
use std::time::Duration;

use model::Access;
use policy::{DefaultAccess, Rate};
use serde_json::{Value, json};
use testkit::{Builder, Client, Era, Gateway, Reply, Script, Step, Wire};

use super::record::FullDisk;
use super::{grant_of, guarded, operations, rejection, speaking, token_of};
use crate::{ECHO, StartWithStore as _};

/// Both shapes of a refusal, by what the client negotiated.
const SHAPES: [&[&str]; 2] = [&[], &["error_handling"]];

fn tools() -> Script {
    let takes = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}});
    let safety = json!({"level": "strict", "language": "python"});
    let code = json!({"name": "code", "inputSchema": takes("code"), "security": {"validator": "code_safety", "code_safety": safety}});
    let shell = json!({"name": "shell", "inputSchema": takes("command"), "security": {"validator": "sandbox"}});
    Script::legacy()
        .tool_defined(code, [Step::answer(ECHO)])
        .tool_defined(shell, [Step::answer(ECHO)])
        .tool("hangs", [Step::Hang])
}

fn built() -> Builder {
    guarded(Era::Legacy)
        .upstream_with("sh", tools(), |spec| spec.request_timeout = Duration::from_millis(50))
        .guarded(|security| {
            security.approval_hold = Duration::ZERO;
            security.tables.access = Some(DefaultAccess::OptOut);
        })
}

async fn connected(gateway: &Gateway, extensions: &[&str], token: Option<&str>) -> Client {
    let capabilities = match extensions {
        [] => json!({}),
        some => speaking(Era::Legacy, json!({}), some),
    };
    let builder = gateway
        .client(Era::Legacy, Wire::Pipe)
        .principal("local")
        .capabilities(capabilities);
    let builder = match token {
        Some(token) => builder.token(token),
        None => builder,
    };
    builder.ready().await
}

/// What a refusal says: code, category, whether to try again, after how long, and why.
#[derive(Debug, PartialEq)]
struct Told {
    code: i64,
    category: Value,
    retryable: Value,
    retry_after_ms: Value,
}

fn told(reply: &Reply, is_error: bool) -> Told {
    let (code, fields, hint) = if is_error {
        let (code, _) = reply.error();
        let error = reply.message.error_raw().expect("an error").to_value();
        let fields = error["data"]["_mgp"].clone();
        let hint = fields["details"]["remediation_hint"].clone();
        (code, fields, hint)
    } else {
        let body = rejection(reply);
        assert_eq!(body["status"], "rejected", "{body}");
        assert!(body["reason"].is_string() && body["error"].is_string(), "{body}");
        let hint = body["remediation_hint"].clone();
        (body["code"].as_i64().unwrap_or_default(), body, hint)
    };
    assert!(hint.is_string() || code >= 3000, "the way out: {fields}");
    assert_eq!(fields["retry_after_ms"].is_u64(), fields["retryable"] == true, "{fields}");
    if fields["retryable"] == true {
        assert!(fields["retry_strategy"].is_string() && fields["max_retries"].is_u64(), "{fields}");
    }
    Told {
        code,
        category: fields["category"].clone(),
        retryable: fields["retryable"].clone(),
        retry_after_ms: fields["retry_after_ms"].clone(),
    }
}

/// One scenario, in both shapes: the same data.
async fn expect_refused(gateway: &Gateway, call: (&str, Value), expected: (i64, &str, bool)) {
    for shape in SHAPES {
        let client = connected(gateway, shape, None).await;
        let reply = client.call(call.0, call.1.clone()).await;
        let told = told(&reply, !shape.is_empty());
        let is = (told.code, told.category.as_str().unwrap_or_default(), told.retryable == true);
        assert_eq!(is, expected, "{shape:?}: {:?}", reply.message);
    }
}

#[tokio::test]
async fn row_14_3_1000_permission_denied() {
    let gateway = built().start();
    expect_refused(&gateway, ("destroy", json!({})), (1000, "security", true)).await;
    expect_refused(&gateway, ("mgp.access.grant", json!({})), (1000, "security", false)).await;
    gateway.stop().await;
}

#[tokio::test]
async fn row_14_3_1001_access_denied() {
    let gateway = built().start_with_store().await;
    connected(&gateway, &[], None).await;
    operations(&gateway)
        .grant(grant_of("local", "fs", Access::Deny))
        .await
        .expect("denied");
    expect_refused(&gateway, ("look", json!({})), (1001, "security", false)).await;
    gateway.stop().await;
}

#[tokio::test]
async fn row_14_3_1002_auth_required() {
    let gateway = built().start_with_store().await;
    operations(&gateway).create_token(token_of("t", "local")).await.expect("made");
    for shape in SHAPES {
        let client = connected(&gateway, shape, Some("t")).await;
        if !shape.is_empty() {
            operations(&gateway).revoke_token("t").await.expect("revoked");
        } else {
            continue;
        }
        assert_eq!(told(&client.call("look", json!({})).await, true).code, 1002);
        let late = connected(&gateway, &[], Some("t")).await;
        assert_eq!(told(&late.call("look", json!({})).await, false).code, 1002);
    }
    gateway.stop().await;
}

#[tokio::test]
async fn row_14_3_1010_validation_blocked() {
    let gateway = built().start();
    let call = ("shell", json!({"command": "rm -rf / ; true"}));
    expect_refused(&gateway, call, (1010, "security", false)).await;
    gateway.stop().await;
}

#[tokio::test]
async fn row_14_3_1011_code_safety_violation() {
    let gateway = built().start();
    let call = ("code", json!({"code": "import os\nos.system('id')"}));
    expect_refused(&gateway, call, (1011, "security", false)).await;
    gateway.stop().await;
}

#[tokio::test]
async fn row_14_3_3000_rate_limited() {
    let one = Rate {
        calls: 1,
        per: Duration::from_secs(60),
    };
    let gateway = built().guarded(|security| security.tables.rates.tool = Some(one)).start();
    assert!(!connected(&gateway, &[], None).await.call("look", json!({})).await.is_error());
    expect_refused(&gateway, ("look", json!({})), (3000, "resource", true)).await;
    let client = connected(&gateway, &[], None).await;
    let told = told(&client.call("look", json!({})).await, false);
    assert!(
        told.retry_after_ms.as_u64().is_some_and(|wait| (1_000..=60_000).contains(&wait)),
        "{told:?}"
    );
    gateway.stop().await;
}

#[tokio::test]
async fn row_14_3_3001_resource_exhausted_on_a_full_disk() {
    let (folder, disk) = (tempfile::tempdir().expect("a folder"), FullDisk::default());
    let gateway = built().remembering_on(folder.path(), Arc::new(disk.clone())).await.start();
    connected(&gateway, &[], None).await;
    disk.fill(true);
    expect_refused(&gateway, ("look", json!({})), (3001, "resource", true)).await;
    assert_eq!(gateway.server("fs").count_of("tools/call"), 0);
    disk.fill(false);
    gateway.stop().await;
}

/// For a client of plain MCP it is what MCP says: an internal error, and an unknown tool.
#[tokio::test]
async fn row_14_3_3003_timeout_and_4001_tool_not_found() {
    let gateway = built().start();
    for (tool, code, plain) in [("hangs", 3003, -32603), ("nowhere", 4001, -32602)] {
        let client = connected(&gateway, &["error_handling"], None).await;
        let reply = client.call(tool, json!({})).await;
        assert_eq!(told(&reply, true).code, code);
        assert_eq!(told(&reply, true).retryable, false, "whether it took effect is not known");
        let client = connected(&gateway, &[], None).await;
        assert_eq!(client.call(tool, json!({})).await.error().0, plain, "{tool}");
    }
    gateway.stop().await;
}

#[tokio::test]
async fn row_14_3_4000_invalid_tool_args() {
    let gateway = built().start_with_store().await;
    for shape in SHAPES {
        let capabilities = speaking(Era::Legacy, json!({}), &[shape, &["access_control"]].concat());
        let builder = gateway.client(Era::Legacy, Wire::Pipe).operator("olga").capabilities(capabilities);
        let olga = builder.connect().await;
        let reply = olga.call("mgp.access.grant", json!({"agent_id": 7})).await;
        let code = match shape.is_empty() {
            true => rejection(&reply)["code"].as_i64().unwrap_or_default(),
            false => reply.error().0,
        };
        assert_eq!(code, 4000, "{shape:?}");
    }
    gateway.stop().await;
}

/// What a server that negotiated `error_handling` says reaches the client as it is, whatever its code.
#[tokio::test]
async fn row_14_4_row_14_5_a_server_s_own_error_passes_with_its_recovery_fields() {
    let data = r#"{"_mgp":{"category":"external","retryable":false,"fallback_tool":"other","details":{"quota":10}}}"#;
    for code in [2000, 3002, 4002, 5000, 5001, 5002] {
        let fails = format!(r#"{{"jsonrpc":"2.0","id":$id,"error":{{"code":{code},"message":"no","data":{data}}}}}"#);
        let script = Script::legacy().tool("fails", [Step::send(fails)]).capabilities(speaking(
            Era::Legacy,
            json!({"tools": {}}),
            &["error_handling"],
        ));
        let gateway = testkit::gateway().upstream("s", script).guarded(|_| {}).start();
        let client = connected(&gateway, &["error_handling"], None).await;
        let reply = client.call("fails", json!({})).await;
        assert_eq!(reply.error().0, code);
        let error = reply.message.error_raw().expect("an error").to_value();
        assert_eq!(error["data"], serde_json::from_str::<Value>(data).expect("JSON"), "{code}");
        gateway.stop().await;
    }
}
