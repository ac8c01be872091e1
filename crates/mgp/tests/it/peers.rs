//! Tests of messages of published servers, in our own words, and of their outcomes.

use std::fmt::Write;

use expect_test::expect;
use jsonrpc::ErrorObject;
use mgp::negotiation::{Extension, Offer};
use mgp::permission::is_unimplemented;
use mgp::trust;
use model::{Risk, TrustLevel};

use crate::raw;

fn offer() -> Offer {
    Offer {
        extensions: [Extension::Security, Extension::Audit, Extension::ErrorHandling]
            .into_iter()
            .collect(),
    }
}

/// The capabilities with which servers answer `initialize`.
const SERVERS: [(&str, &str); 5] = [
    (
        "a language model, in Python",
        r#"{"experimental":{"mgp":{"version":"0.6.0","extensions":["permissions","streaming"],"server_id":"cloto-mcp-local"}},"tools":{"listChanged":false}}"#,
    ),
    (
        "an avatar, in Rust",
        r#"{"mgp":{"extensions":["permissions"],"permissions_required":["network.outbound"],"version":"0.6.0"},"tools":{}}"#,
    ),
    (
        "a chat, in Rust, which calls itself trusted",
        r#"{"mgp":{"extensions":["permissions"],"permissions_required":["network.outbound"],"version":"0.6.0","trust_level":"core"},"tools":{}}"#,
    ),
    ("an example, in Python", r#"{"experimental":{},"tools":{"listChanged":false}}"#),
    (
        "a memory, in Python",
        r#"{"experimental":{},"prompts":{"listChanged":false},"tools":{"listChanged":false}}"#,
    ),
];

#[test]
fn published_servers_are_understood() {
    let mut table = String::new();
    for (name, capabilities) in SERVERS {
        let outcome = offer().with_server(&raw(capabilities));
        match &outcome.agreement {
            None => writeln!(table, "{name}: plain MCP"),
            Some(agreement) => {
                let trust = trust::effective(TrustLevel::Standard, agreement.trust);
                writeln!(
                    table,
                    "{name}: {:?}, wants {:?}, is `{trust}`, calls itself {:?}",
                    agreement.active, agreement.permissions, agreement.server_id
                )
            }
        }
        .expect("text");
        for warning in &outcome.warnings {
            writeln!(table, "  {warning}").expect("text");
        }
    }
    expect![[r#"
        a language model, in Python: {"security"}, wants [], is `standard`, calls itself Some("cloto-mcp-local")
          it speaks MGP 0.6.0, another minor version than 0.5.2: details may differ
          it declares `streaming`, which it was not offered: it is not used
        an avatar, in Rust: {"security"}, wants [Permission("network.outbound")], is `standard`, calls itself None
          it speaks MGP 0.6.0, another minor version than 0.5.2: details may differ
        a chat, in Rust, which calls itself trusted: {"security"}, wants [Permission("network.outbound")], is `standard`, calls itself None
          it speaks MGP 0.6.0, another minor version than 0.5.2: details may differ
        an example, in Python: plain MCP
        a memory, in Python: plain MCP
    "#]]
    .assert_eq(&table);
}

#[test]
fn d3_published_servers_say_in_different_words_that_they_know_no_permissions() {
    for error in [
        r#"{"code":-32602,"message":"Invalid request parameters","data":""}"#,
        r#"{"code":-32601,"message":"Method not found: mgp/permission/grant"}"#,
        r#"{"code":-32601,"message":"Method not found","data":"mgp/permission/await"}"#,
        r#"{"code":-32600,"message":"this connection serves the handshake protocol era"}"#,
    ] {
        let error = ErrorObject::parse(&raw(error)).expect("an error");
        assert!(is_unimplemented(&error), "{error:?}");
    }
    let other = ErrorObject::new(0, "Request cancelled");
    assert!(!is_unimplemented(&other));
}

/// No published server sends a `security` object: its tools are judged by their annotations.
#[test]
fn d6_published_tools_are_judged_by_their_annotations() {
    let circumstances = mgp::tool::Circumstances {
        trust: TrustLevel::Standard,
        configured: &mgp::tool::Override::default(),
        inferred: None,
    };
    let risk = |annotations: &str| {
        let tool = raw(&format!(
            r#"{{"name":"x","inputSchema":{{}},"annotations":{annotations},"_meta":{{"fastmcp":{{}}}}}}"#
        ));
        mgp::tool::assess(&mgp::tool::ToolSecurity::read(&tool), &circumstances).risk
    };
    assert_eq!(
        risk(r#"{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true}"#),
        Risk::Safe
    );
    assert_eq!(risk(r#"{"readOnlyHint":false,"destructiveHint":true}"#), Risk::Dangerous);
    assert_eq!(
        risk(r#"{"title":"Send","readOnlyHint":false,"destructiveHint":false}"#),
        Risk::Moderate
    );
    assert_eq!(risk("null"), Risk::Moderate);
}
