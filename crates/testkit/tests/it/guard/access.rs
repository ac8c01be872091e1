//! MGP §5, DESIGN 7: a sole user may do everything; with a second principal, each may do what was granted. Denied tools
//! are not listed.

use model::{Access, GrantScope, PrincipalId};
use policy::{DefaultAccess, Origin};
use serde_json::json;
use testkit::{Era, Wire};

use super::{grant_of, guarded, operations, rejection};
use crate::{StartWithStore as _, WAYS};
use kernel::operator::NewGrant;

fn grant(principal: &str, scope: &str, access: Access) -> NewGrant {
    NewGrant {
        justification: Some("a test".to_owned()),
        ..grant_of(principal, scope, access)
    }
}

/// Returns a guarded gateway that knows of a second principal: what was not granted is denied.
fn guarded_with_bob(era: Era) -> testkit::Builder {
    guarded(era).guarded(|security| security.principals.push((PrincipalId::new("bob"), Origin::Remote)))
}

#[tokio::test]
async fn row_5_5_a_second_principal_sees_and_calls_what_it_was_granted() {
    for (era, wire) in WAYS {
        let gateway = guarded_with_bob(era).start_with_store().await;
        let operations = operations(&gateway);
        let local = gateway.client(era, wire).principal("local").connect().await;
        let bob = gateway.client(era, wire).principal("bob").connect().await;
        assert_eq!(bob.tools().await, Vec::<String>::new(), "{era:?} {wire:?}");
        assert_eq!(local.tools().await, Vec::<String>::new(), "nobody is alone any more");
        // Not listed; a client that calls it all the same is told whom to ask.
        let told = rejection(&bob.call("look", json!({})).await);
        assert_eq!(told["code"], 1001, "{told}");
        assert!(
            told["remediation_hint"].as_str().is_some_and(|hint| hint.contains("operator")),
            "{told}"
        );
        operations.grant(grant("bob", "fs/look", Access::Allow)).await.expect("granted");
        assert_eq!(bob.tools().await, ["look"]);
        assert_eq!(bob.call("look", json!({"a": 1})).await.said(), json!({"a": 1}));
        assert_eq!(local.tools().await, Vec::<String>::new());
        let look = GrantScope::parse("fs/look").expect("a good scope");
        operations.revoke(&PrincipalId::new("bob"), &look).await.expect("revoked");
        assert_eq!(bob.tools().await, Vec::<String>::new());
        assert_eq!(rejection(&bob.call("look", json!({})).await)["code"], 1001);
        assert_eq!(gateway.server("fs").count_of("tools/call"), 1);
        gateway.stop().await;
    }
}

#[tokio::test]
async fn row_5_5_a_denied_tool_is_neither_listed_nor_called() {
    for (era, wire) in WAYS {
        let gateway = guarded(era)
            .guarded(|security| security.tables.access = Some(DefaultAccess::OptOut))
            .start_with_store()
            .await;
        let operations = operations(&gateway);
        let client = gateway.client(era, wire).principal("local").connect().await;
        assert_eq!(client.tools().await, ["look", "change", "destroy"]);
        operations.grant(grant("local", "fs/change", Access::Deny)).await.expect("denied");
        assert_eq!(client.tools().await, ["look", "destroy"], "{era:?} {wire:?}");
        let before = gateway.server("fs").count_of("tools/call");
        for name in ["change", "fs__change"] {
            assert_eq!(rejection(&client.call(name, json!({})).await)["code"], 1001, "{name}");
        }
        assert_eq!(gateway.server("fs").count_of("tools/call"), before);
        gateway.stop().await;
    }
}

#[tokio::test]
async fn d15_only_operators_have_operations() {
    let gateway = guarded(Era::Legacy).start();
    let local = gateway.kernel.operations(model::Principal::local(), None);
    assert_eq!(
        local.expect_err("an agent").to_string(),
        kernel::operator::OperatorError::NotOperator.to_string()
    );
    gateway.stop().await;
}

#[tokio::test]
async fn rate_limits_say_when_to_come_back() {
    let gateway = guarded(Era::Legacy)
        .guarded(|security| {
            security.tables.rates.principal = Some(policy::Rate {
                calls: 2,
                per: std::time::Duration::from_secs(3600),
            });
        })
        .start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
    for _ in 0..2 {
        assert_eq!(client.call("look", json!({})).await.said(), json!({}));
    }
    let told = rejection(&client.call("look", json!({})).await);
    assert_eq!(told["code"], 3000);
    assert!(told["retry_after_ms"].as_u64().is_some_and(|wait| wait > 60_000), "{told}");
    gateway.stop().await;
}

/// MGP D16: at the same level `deny` beats `allow`, whichever came first.
#[tokio::test]
async fn d16_a_denial_beats_an_allowance_of_the_same_scope() {
    for order in [[Access::Allow, Access::Deny], [Access::Deny, Access::Allow]] {
        for scope in ["fs/look", "fs"] {
            let gateway = guarded(Era::Legacy).start_with_store().await;
            let operations = operations(&gateway);
            let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
            for access in order {
                operations.grant(grant("local", scope, access)).await.expect("kept");
            }
            assert_eq!(
                rejection(&client.call("look", json!({})).await)["code"],
                1001,
                "{order:?} {scope:?}"
            );
            gateway.stop().await;
        }
    }
}

/// MGP D14: the principal comes from the connection. An identity in a message is an argument like any other.
#[tokio::test]
async fn d14_a_client_becomes_no_other_principal_by_saying_so() {
    for (era, wire) in WAYS {
        let gateway = guarded_with_bob(era).start_with_store().await;
        let operations = operations(&gateway);
        let bob = gateway.client(era, wire).principal("bob").ready().await;
        operations.grant(grant("alice", "fs/look", Access::Allow)).await.expect("granted");
        let claims = json!({"agent_id": "alice", "principal": "alice", "_mgp": {"agent_id": "alice"}});
        let mut params = json!({"name": "look", "arguments": claims});
        params["_mgp"] = json!({"agent_id": "alice", "actor": {"type": "operator", "id": "olga"}});
        params["agent_id"] = json!("alice");
        let reply = bob.request("tools/call", params).await;
        assert_eq!(rejection(&reply)["code"], 1001, "{era:?} {wire:?}");
        let blocked = super::until(&gateway, "TOOL_BLOCKED", 1).await.remove(0);
        assert_eq!(blocked["actor"], json!({"type": "agent", "id": "bob"}));
        gateway.stop().await;
    }
}
