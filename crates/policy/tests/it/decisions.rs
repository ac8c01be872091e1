//! Tests of the parts of decisions: inferred risk, the revision since which an answer holds, and the principals of tokens.

use model::{By, Digest, Grant, PrincipalId, RequestId, Risk, ServerId, Timestamp, Token, Trace};
use policy::{Action, Edit, Origin, Policy, Query, Reason, Revision, Tables, TokenRefusal, code};
use validators::arguments::Slots;

use crate::parse::{self, Words};

fn id(text: &str) -> ServerId {
    ServerId::new(text).expect("an id")
}

#[test]
fn design_7_arguments_that_are_commands_or_code_make_a_tool_dangerous() {
    let inferred = |argument: &str| {
        let schema = serde_json::json!({ "properties": { "title": { "type": "string" }, argument: { "type": "string" } } });
        policy::inferred(&Slots::infer("tool", "", &schema))
    };
    let found = inferred("command").expect("a command");
    assert_eq!(
        (found.risk, found.because.as_str()),
        (Risk::Dangerous, "takes a command in `/command`")
    );
    assert_eq!(inferred("code").expect("code").because, "takes code in `/code`");
    assert_eq!((inferred("path"), inferred("url")), (None, None));
}

fn grant(principal: &str, scope: &str) -> Grant {
    parse::grant(&Words::of(&format!("grant {principal} {scope}")))
}

fn with(policy: &Policy, change: impl FnOnce(&mut Edit)) -> Policy {
    let mut edit = policy.edit();
    change(&mut edit);
    edit.finish()
}

/// Returns a policy in which alice and bob may call two tools of two servers.
fn some_policy() -> Policy {
    let tables = Tables::default();
    let mut edit = Policy::begin(tables.clone(), Revision(7));
    for server in ["fs", "db"] {
        let tools = ["read", "write"].map(|name| parse::tool_facts(name, &Words::of(""), &tables, &id(server)));
        edit.tools(&id(server), tools.into());
        for principal in ["alice", "bob"] {
            edit.grant(grant(principal, server));
        }
    }
    edit.finish()
}

#[test]
fn d16_design_9_a_decision_stands_until_something_about_it_changes() {
    let before = some_policy();
    assert_eq!(before.revision(), Revision(8));
    let (fs, alice) = (id("fs"), PrincipalId::new("alice"));
    let call = |tool| Action::CallTool {
        server: &fs,
        tool,
        arguments: None,
    };
    let stands = |after: &Policy, tool| {
        assert!(after.revision() > before.revision());
        after.stands(&alice, Some("t1"), &call(tool), before.revision())
    };
    // Grants to other principals, and grants elsewhere, do not concern a call.
    for (principal, scope) in [
        ("bob", "fs"),
        ("bob", "fs/read"),
        ("alice", "db"),
        ("alice", "fs/write"),
        ("carol", "fs"),
    ] {
        assert!(
            stands(&with(&before, |edit| _ = edit.grant(grant(principal, scope))), "read"),
            "{principal} {scope}"
        );
    }
    let scope = |text| parse::scope(text);
    let of_bob = with(&before, |edit| drop(edit.revoke(&PrincipalId::new("bob"), &scope("fs"))));
    assert!(stands(&of_bob, "read"));
    // Changes of the principal, the server, the tool or the token concern a call.
    let revoked = with(&before, |edit| drop(edit.revoke(&alice, &scope("fs"))));
    assert!(!stands(&revoked, "read"));
    assert!(
        !stands(&with(&revoked, |edit| _ = edit.grant(grant("alice", "fs"))), "read"),
        "granted anew is another decision"
    );
    assert!(!stands(&with(&before, |edit| _ = edit.grant(grant("alice", "fs/read"))), "read"));
    let permission = parse::permission(&Words::of("permission fs camera denied"));
    assert!(!stands(&with(&before, |edit| _ = edit.permission(permission)), "read"));
    let pinned = with(&before, |edit| _ = edit.pin(parse::pin(&Words::of("pin fs/read 1"))));
    assert!(!stands(&pinned, "read") && stands(&pinned, "write"));
    let tables = Tables::default();
    assert!(!stands(&with(&before, |edit| _ = edit.tables(tables.clone())), "read"));
    let token = |line: &str| parse::token(&Words::of(line));
    assert!(!stands(
        &with(&before, |edit| _ = edit.token(token("token t1 @alice revoked"))),
        "read"
    ));
    assert!(stands(
        &with(&before, |edit| _ = edit.token(token("token t2 @alice revoked"))),
        "read"
    ));
    // A changed tool concerns only its own calls; a removed tool concerns all calls of its server.
    let facts = |name: &str, digest: &str| parse::tool_facts(name, &Words::of(digest), &tables, &fs);
    let changed = with(&before, |edit| {
        _ = edit.tools(&fs, vec![facts("read", "digest=9"), facts("write", "")])
    });
    assert!(!stands(&changed, "read") && stands(&changed, "write"));
    assert!(!stands(
        &with(&before, |edit| _ = edit.tools(&fs, vec![facts("write", "")])),
        "read"
    ));
    // Decisions of a later revision, or of another kind of policy, do not stand.
    assert!(!before.stands(&alice, None, &call("read"), Revision(9)));
    assert!(!Policy::deny_all(Revision(9)).stands(&alice, None, &call("read"), Revision(8)));
}

#[test]
fn design_9_a_removed_tool_grant_is_noticed_by_what_rests_on_any_of_them() {
    let before = with(&some_policy(), |edit| {
        edit.revoke(&PrincipalId::new("alice"), &parse::scope("fs"));
        edit.grant(grant("alice", "fs/read"));
    });
    let (fs, alice) = (id("fs"), PrincipalId::new("alice"));
    let ask = Action::Ask {
        server: &fs,
        method: "roots/list",
    };
    assert!(before.stands(&alice, None, &ask, before.revision()));
    let after = with(&before, |edit| drop(edit.revoke(&alice, &parse::scope("fs/read"))));
    assert!(!after.stands(&alice, None, &ask, before.revision()));
}

#[test]
fn an_edit_leaves_the_policy_it_began_with_as_it_is() {
    let before = some_policy();
    let after = with(&before, |edit| drop(edit.revoke(&PrincipalId::new("alice"), &parse::scope("fs"))));
    let (alice, fs, trace) = (parse::principal("alice"), id("fs"), Trace::default());
    let call = Action::CallTool {
        server: &fs,
        tool: "read",
        arguments: None,
    };
    let query = Query::new(&alice, call, &trace, Timestamp(0));
    assert!(before.decide(&query).is_allowed());
    let denied = after.decide(&query);
    assert_eq!((denied.is_allowed(), denied.revision), (false, Revision(9)));
    assert_eq!((before.grants(&alice.id).count(), after.grants(&alice.id).count()), (2, 1));
}

#[test]
fn tokens_are_known_by_their_digest_only_while_they_last() {
    let by = |at| By {
        principal: PrincipalId::new("root"),
        at: Timestamp(at),
    };
    let token = Token {
        expires: Some(Timestamp(100)),
        ..parse::token(&Words::of("token t1 alice"))
    };
    let digest = token.digest;
    let policy = with(&some_policy(), |edit| _ = edit.token(token.clone()));
    assert_eq!(policy.authenticate(&digest, Timestamp(99)).map(|token| &*token.id), Ok("t1"));
    assert_eq!(policy.authenticate(&digest, Timestamp(100)), Err(TokenRefusal::Expired));
    assert_eq!(policy.authenticate(&Digest([9; 32]), Timestamp(0)), Err(TokenRefusal::Unknown));
    let revoked = Token {
        revoked: Some(by(5)),
        ..token.clone()
    };
    let policy = with(&policy, |edit| _ = edit.token(revoked));
    assert_eq!(policy.authenticate(&digest, Timestamp(99)), Err(TokenRefusal::Revoked));
    // A token whose secret is replaced is no longer known by the old secret.
    let renewed = Token {
        digest: Digest([7; 32]),
        ..token
    };
    let policy = with(&policy, |edit| _ = edit.token(renewed));
    assert_eq!(policy.authenticate(&digest, Timestamp(0)), Err(TokenRefusal::Unknown));
    assert!(policy.authenticate(&Digest([7; 32]), Timestamp(0)).is_ok());
}

#[test]
fn an_open_gateway_and_a_closed_one_need_no_records() {
    let (alice, fs) = (parse::principal("alice"), id("fs"));
    let (open, closed) = (Policy::allow_all(), Policy::deny_all(Revision(3)));
    let camera = model::Permission::new("camera");
    for (policy, may) in [(&open, true), (&closed, false)] {
        assert_eq!(policy.viewer(&alice, None, Timestamp(0)).is_visible(&fs, "read"), may);
        assert_eq!(policy.viewer(&alice, None, Timestamp(0)).is_server_visible(&fs), may);
        let standing = policy.access(&alice.id, &fs, None, Timestamp(0));
        assert_eq!(standing.access == model::Access::Allow, may);
        let has = policy.permission(&fs, &camera, Timestamp(0)) == policy::PermissionState::Approved;
        assert_eq!(has, may);
        assert!(policy.tables().is_none() && policy.grants(&alice.id).next().is_none());
    }
    let mut edit = closed.edit();
    edit.know(&alice.id, Origin::Local);
    assert_eq!(edit.revision(), Revision(4));
    assert_eq!(edit.finish().revision(), Revision(4));
}

#[test]
fn row_14_3_refusals_have_codes_and_a_way_out() {
    let request = RequestId::new("r-1");
    let reasons = [
        (Reason::NotText, code::INVALID_TOOL_ARGS, false),
        (Reason::ApprovalExpired { request: request.clone() }, code::PERMISSION_DENIED, true),
        (Reason::ApprovalPending { request }, code::PERMISSION_DENIED, true),
        (Reason::ApprovalsFull { own: false, most: 9 }, code::RESOURCE_EXHAUSTED, true),
        (Reason::Token(TokenRefusal::Unknown), code::AUTH_REQUIRED, false),
        (Reason::Token(TokenRefusal::Expired), code::AUTH_EXPIRED, false),
        (Reason::Token(TokenRefusal::OutOfScope), code::ACCESS_DENIED, false),
    ];
    for (reason, code, retryable) in reasons {
        assert_eq!((reason.code(), reason.is_retryable()), (Some(code), retryable), "{reason}");
        let hint = reason.hint().expect("a way out");
        assert!(reason.to_string().ends_with(&hint), "{reason}");
    }
    let limited = Reason::RateLimited {
        of: "`alice`".to_owned(),
        limit: 10,
        per_ms: 60_000,
        retry_after_ms: 5000,
    };
    assert_eq!(limited.retry_after_ms(), Some(5000));
    assert_eq!(limited.to_string(), "`alice` may have 10 calls in 60000 ms; try again in 5000 ms");
}

#[test]
fn row_4_5_arguments_that_are_no_text_are_refused() {
    let (alice, fs, trace) = (parse::principal("alice"), id("fs"), Trace::default());
    let call = Action::CallTool {
        server: &fs,
        tool: "read",
        arguments: Some(b"{\"path\":\"\xff\"}"),
    };
    let decision = some_policy().decide(&Query::new(&alice, call, &trace, Timestamp(0)));
    assert_eq!((decision.is_allowed(), decision.because), (false, Reason::NotText));
}
