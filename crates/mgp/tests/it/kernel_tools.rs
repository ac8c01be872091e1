//! Tests of the kernel's own tools: definitions, arguments, refusals and answers.

use std::collections::BTreeMap;
use std::fmt::Write;

use expect_test::{expect, expect_file};
use jsonrpc::Raw;
use mgp::kernel_tool::{self, AccessSource, AccessState, KernelTool, Replay, is_reserved, parse};
use mgp::permission::{Input, Permissions, Settings};
use model::{
    Access, By, Grant, GrantScope, Permission, PermissionAnswer, PermissionDecision, Principal, PrincipalId, RequestId, Role, ServerId,
    Timestamp, ToolId,
};

use crate::raw;
use crate::schema::misfit;

const NOW: Timestamp = Timestamp(1_772_193_600_000);

fn operator() -> Principal {
    Principal {
        role: Role::Operator,
        ..Principal::named("admin")
    }
}

fn server() -> ServerId {
    ServerId::new("fs").expect("an id")
}

fn tool() -> ToolId {
    ToolId {
        server: server(),
        name: "read".into(),
    }
}

fn by() -> By {
    By {
        principal: PrincipalId::new("admin"),
        at: NOW,
    }
}

fn input_schema(tool: KernelTool) -> Raw {
    tool.definition(false).get("inputSchema").expect("a schema")
}

fn output_schema(tool: KernelTool) -> Raw {
    tool.definition(false).get("outputSchema").expect("a schema")
}

/// §5.4 gives the input schemas of the access tools word for word.
#[test]
fn row_1_6b_input_schemas_are_those_of_the_specification() {
    let specified = [
        (
            KernelTool::AccessQuery,
            r#"{"type":"object","properties":{"agent_id":{"type":"string","description":"Agent identifier"},"server_id":{"type":"string","description":"Target server"},"tool_name":{"type":"string","description":"Target tool (optional)"}},"required":["agent_id","server_id"]}"#,
        ),
        (
            KernelTool::AccessGrant,
            r#"{"type":"object","properties":{"entry_type":{"type":"string","enum":["server_grant","tool_grant"]},"agent_id":{"type":"string"},"server_id":{"type":"string"},"tool_name":{"type":"string","description":"Required for tool_grant"},"permission":{"type":"string","enum":["allow","deny"]},"justification":{"type":"string"},"expires_at":{"type":"string","format":"date-time"}},"required":["entry_type","agent_id","server_id","permission"]}"#,
        ),
        (
            KernelTool::AccessRevoke,
            r#"{"type":"object","properties":{"agent_id":{"type":"string"},"server_id":{"type":"string"},"entry_type":{"type":"string","enum":["server_grant","tool_grant"]},"tool_name":{"type":"string"}},"required":["agent_id","server_id","entry_type"]}"#,
        ),
    ];
    for (tool, schema) in specified {
        assert_eq!(input_schema(tool), raw(schema), "{}", tool.name());
    }
}

#[test]
fn d17_every_tool_has_both_schemas_annotations_and_one_line() {
    for tool in KernelTool::ALL {
        let definition = tool.definition(false);
        let keys: Vec<String> = definition
            .object()
            .expect("an object")
            .iter()
            .map(|(key, _)| key.to_owned())
            .collect();
        assert_eq!(keys, ["name", "description", "inputSchema", "outputSchema", "annotations"]);
        assert_eq!(definition.get("name").expect("a name").as_str().as_deref(), Some(tool.name()));
        assert!(!definition.text().contains('\n'));
    }
}

#[test]
fn d29_every_tool_has_an_alias_without_dots_and_no_server_gets_its_name() {
    for tool in KernelTool::ALL {
        assert_eq!(KernelTool::find(tool.name()), Some(tool));
        assert_eq!(KernelTool::find(&tool.alias()), Some(tool));
        let listed = tool.definition(true).get("name").expect("a name");
        assert_eq!(listed.as_str().expect("a text"), tool.alias());
        assert!(is_reserved(tool.name()) && is_reserved(&tool.alias()));
    }
    assert_eq!(KernelTool::AccessGrant.alias(), "mgp_access_grant");
    assert!(is_reserved("mgp.tools.discover") && is_reserved("mgp.anything"));
    assert!(!is_reserved("read") && !is_reserved("mgpx"));
    assert_eq!(KernelTool::find("mgp.access"), None);
}

#[test]
fn d15_d30_agents_see_no_tools_of_administration() {
    for tool in KernelTool::ALL {
        assert!(tool.is_listed(Role::Operator) && tool.may_call(Role::Operator));
        assert!(!tool.is_listed(Role::Agent));
        assert_eq!(tool.may_call(Role::Agent), tool == KernelTool::AccessQuery);
    }
}

/// Calls of operators, each with its operation or its refusal.
const CALLS: &[(KernelTool, &str)] = &[
    (KernelTool::AccessQuery, r#"{"agent_id":"ada","server_id":"fs"}"#),
    (KernelTool::AccessQuery, r#"{"agent_id":"ada","server_id":"fs","tool_name":"read"}"#),
    (KernelTool::AccessQuery, r#"{"agent_id":"ada","server_id":"fs","tool_name":null}"#),
    (KernelTool::AccessQuery, "{}"),
    (KernelTool::AccessQuery, "[]"),
    (KernelTool::AccessQuery, r#"{"agent_id":7,"server_id":"fs"}"#),
    (KernelTool::AccessQuery, r#"{"agent_id":"","server_id":"fs"}"#),
    (KernelTool::AccessQuery, r#"{"agent_id":"a\u0000","server_id":"fs"}"#),
    (KernelTool::AccessQuery, r#"{"agent_id":"ada","server_id":"a b"}"#),
    (KernelTool::AccessQuery, r#"{"agent_id":"ada","agent_id":"bob","server_id":"fs"}"#),
    (
        KernelTool::AccessQuery,
        r#"{"agent_id":"ada","\u0061gent_id":"bob","server_id":"fs"}"#,
    ),
    (
        KernelTool::AccessGrant,
        r#"{"entry_type":"tool_grant","agent_id":"ada","server_id":"fs","tool_name":"read","permission":"allow","justification":"on call","expires_at":"2026-03-01T01:00:00+01:00"}"#,
    ),
    (
        KernelTool::AccessGrant,
        r#"{"entry_type":"server_grant","agent_id":"ada","server_id":"fs","permission":"deny"}"#,
    ),
    (
        KernelTool::AccessGrant,
        r#"{"entry_type":"tool_grant","agent_id":"ada","server_id":"fs","permission":"allow"}"#,
    ),
    (
        KernelTool::AccessGrant,
        r#"{"entry_type":"server_grant","agent_id":"ada","server_id":"fs","tool_name":"read","permission":"allow"}"#,
    ),
    (
        KernelTool::AccessGrant,
        r#"{"entry_type":"all","agent_id":"ada","server_id":"fs","permission":"allow"}"#,
    ),
    (
        KernelTool::AccessGrant,
        r#"{"entry_type":"server_grant","agent_id":"ada","server_id":"fs","permission":"maybe"}"#,
    ),
    (
        KernelTool::AccessGrant,
        r#"{"entry_type":"server_grant","agent_id":"ada","server_id":"fs"}"#,
    ),
    (
        KernelTool::AccessGrant,
        r#"{"entry_type":"server_grant","agent_id":"ada","server_id":"fs","permission":"allow","expires_at":"2026-02-27T12:00:00Z"}"#,
    ),
    (
        KernelTool::AccessGrant,
        r#"{"entry_type":"server_grant","agent_id":"ada","server_id":"fs","permission":"allow","expires_at":"tomorrow"}"#,
    ),
    (
        KernelTool::AccessGrant,
        r#"{"entry_type":"server_grant","agent_id":"ada","server_id":"fs","permission":"allow","expires":"2027-01-01T00:00:00Z"}"#,
    ),
    (
        KernelTool::AccessRevoke,
        r#"{"agent_id":"ada","server_id":"fs","entry_type":"tool_grant","tool_name":"read"}"#,
    ),
    (KernelTool::AccessRevoke, r#"{"agent_id":"ada","server_id":"fs"}"#),
    (KernelTool::PermissionList, "{}"),
    (KernelTool::PermissionList, r#"{"server_id":"fs","status":"pending"}"#),
    (KernelTool::PermissionList, r#"{"status":"deferred"}"#),
    (
        KernelTool::PermissionDecide,
        r#"{"request_id":"perm-1","grants":{"shell":"approved","camera":"denied","com.example.x":"deferred"}}"#,
    ),
    (
        KernelTool::PermissionDecide,
        r#"{"server_id":"fs","grants":{"shell.execute":"denied"},"expires_at":"2027-01-01T00:00:00Z"}"#,
    ),
    (KernelTool::PermissionDecide, r#"{"grants":{"camera":"denied"}}"#),
    (
        KernelTool::PermissionDecide,
        r#"{"request_id":"perm-1","server_id":"fs","grants":{"camera":"denied"}}"#,
    ),
    (KernelTool::PermissionDecide, r#"{"request_id":"perm-1","grants":{}}"#),
    (KernelTool::PermissionDecide, r#"{"request_id":"perm-1","grants":{"camera":"yes"}}"#),
    (
        KernelTool::PermissionDecide,
        r#"{"request_id":"perm-1","grants":{"a b":"approved"}}"#,
    ),
    (
        KernelTool::PermissionDecide,
        r#"{"request_id":"perm-1","grants":{"camera":"denied","camera":"approved"}}"#,
    ),
    (
        KernelTool::PermissionDecide,
        r#"{"request_id":"perm-1","grants":{"shell":"denied","shell.execute":"approved"}}"#,
    ),
    (KernelTool::AuditReplay, r#"{"after_seq":0}"#),
    (KernelTool::AuditReplay, r#"{"after_seq":7,"limit":1000}"#),
    (KernelTool::AuditReplay, r#"{"after_seq":-1}"#),
    (KernelTool::AuditReplay, r#"{"after_seq":0,"limit":1001}"#),
    (KernelTool::AuditReplay, r#"{"limit":5}"#),
];

#[test]
fn row_5_4_arguments_are_read_strictly() {
    let mut table = String::new();
    for (tool, arguments) in CALLS {
        let arguments = raw(arguments);
        writeln!(table, "{} {}", tool.name(), arguments.text()).expect("text");
        match parse(*tool, &operator(), Some(&arguments), NOW) {
            Ok(operation) => {
                writeln!(table, "  {operation:?}").expect("text");
                let told = arguments.text().contains("null");
                assert_eq!(misfit(&arguments, &input_schema(*tool)).is_none(), !told, "{arguments:?}");
            }
            Err(refusal) => writeln!(table, "  {} {}", refusal.code, refusal.message()).expect("text"),
        }
    }
    expect_file![crate::data("kernel_tools.txt")].assert_eq(&table);
    let none = parse(KernelTool::PermissionList, &operator(), None, NOW);
    assert!(none.is_ok(), "a tool without required arguments is called without any");
}

#[test]
fn d14_an_agent_speaks_for_itself_alone() {
    let ada = Principal::named("ada");
    let ask = |agent: &str| {
        let arguments = raw(&format!(r#"{{"agent_id":"{agent}","server_id":"fs"}}"#));
        parse(KernelTool::AccessQuery, &ada, Some(&arguments), NOW)
    };
    assert!(ask("ada").is_ok());
    let refusal = ask("bob").expect_err("a refusal");
    expect![[r#"{"code":1000,"message":"`ada` may only ask about itself, as `ada`","data":{"_mgp":{"category":"security","retryable":false,"details":{"remediation_hint":"give `ada` as `agent_id`, or ask an operator"}}}}"#]]
        .assert_eq(refusal.to_error().to_raw().text());
    for tool in KernelTool::ALL.into_iter().filter(|tool| *tool != KernelTool::AccessQuery) {
        // A caller that is no operator learns nothing about arguments either.
        for arguments in ["{}", r#"{"agent_id":"ada","role":"operator"}"#] {
            let refusal = parse(tool, &ada, Some(&raw(arguments)), NOW).expect_err("a refusal");
            assert_eq!(refusal.code.number(), 1000, "{}", tool.name());
        }
    }
}

fn grant(scope: GrantScope) -> Grant {
    Grant {
        principal: PrincipalId::new("ada"),
        scope,
        access: Access::Allow,
        confirms: false,
        granted: by(),
        expires: None,
        justification: Some("on call".into()),
    }
}

/// Checks an answer against its schema, and that its text is equal to its structured content.
fn answered(tool: KernelTool, answer: &Raw) -> String {
    assert_eq!(misfit(answer, &output_schema(tool)), None, "{answer:?}");
    let result = kernel_tool::result(answer);
    assert_eq!(result.get("structuredContent").as_ref(), Some(answer));
    let text = result.get("content").expect("content").items()[0].get("text").expect("a text");
    assert_eq!(raw(&text.as_str().expect("a text")), *answer);
    format!("{}\n", answer.text())
}

#[test]
fn row_5_4_d17_access_answers() {
    let of_tool = grant(GrantScope::Tool(tool()));
    let of_server = Grant {
        expires: Some(NOW.after(1)),
        justification: None,
        ..grant(GrantScope::Server(server()))
    };
    let mut answers = String::new();
    for source in [
        AccessSource::Grant(&of_tool),
        AccessSource::Grant(&of_server),
        AccessSource::DefaultPolicy(Access::Deny),
    ] {
        answers += &answered(KernelTool::AccessQuery, &AccessState(source).to_raw());
    }
    answers += &answered(KernelTool::AccessGrant, &kernel_tool::granted(&of_tool));
    answers += &answered(KernelTool::AccessRevoke, &kernel_tool::revoked(Some(&of_server)));
    answers += &answered(KernelTool::AccessRevoke, &kernel_tool::revoked(None));
    expect![[r#"
        {"permission":"allow","source":"tool_grant","granted_by":"admin","granted_at":"2026-02-27T12:00:00.000Z","expires_at":null}
        {"permission":"allow","source":"server_grant","granted_by":"admin","granted_at":"2026-02-27T12:00:00.000Z","expires_at":"2026-02-27T12:00:00.001Z"}
        {"permission":"deny","source":"default_policy","granted_by":null,"granted_at":null,"expires_at":null}
        {"status":"granted","entry":{"entry_type":"tool_grant","agent_id":"ada","server_id":"fs","tool_name":"read","permission":"allow","justification":"on call","granted_by":"admin","granted_at":"2026-02-27T12:00:00.000Z","expires_at":null}}
        {"status":"revoked","revoked":true,"entry":{"entry_type":"server_grant","agent_id":"ada","server_id":"fs","permission":"allow","justification":null,"granted_by":"admin","granted_at":"2026-02-27T12:00:00.000Z","expires_at":"2026-02-27T12:00:00.001Z"}}
        {"status":"not_found","revoked":false}
    "#]].assert_eq(&answers);
}

#[test]
fn d10_permission_answers() {
    let mut machine = Permissions::new(server(), Settings::default(), NOW);
    let wanted = ["camera", "memory.read", "com.example.x"].map(Permission::new);
    let decision = |permission: &Permission, answer| PermissionDecision {
        request: RequestId::new("perm-1"),
        server: server(),
        permission: permission.clone(),
        answer,
        decided: by(),
        expires: Some(NOW.after(60_000)),
    };
    machine.handle(NOW, Input::Wants(wanted.iter().cloned().collect()));
    machine.handle(
        NOW,
        Input::Asked {
            request: RequestId::new("perm-1"),
            permissions: wanted.to_vec(),
        },
    );
    let decisions = vec![
        decision(&wanted[0], PermissionAnswer::Denied),
        decision(&wanted[1], PermissionAnswer::Approved),
    ];
    machine.handle(NOW, Input::Decided(decisions));
    let (fs, listed) = (server(), machine.list(NOW));
    let mut answers = answered(
        KernelTool::PermissionList,
        &kernel_tool::permissions(listed.iter().map(|listed| (&fs, listed))),
    );
    let grants: BTreeMap<_, _> = [(wanted[0].clone(), PermissionAnswer::Deferred)].into();
    answers += &answered(KernelTool::PermissionDecide, &kernel_tool::decided(&fs, &grants, &by(), None));
    expect![[r#"
        {"permissions":[{"request_id":"perm-1","server_id":"fs","permission":"camera","risk_level":"dangerous","description":"Access camera/vision devices","status":"denied","approved_by":"admin","decided_at":"2026-02-27T12:00:00.000Z","expires_at":"2026-02-27T12:01:00.000Z"},{"request_id":"perm-1","server_id":"fs","permission":"com.example.x","risk_level":"moderate","description":null,"status":"pending","approved_by":null,"decided_at":null,"expires_at":null},{"request_id":"perm-1","server_id":"fs","permission":"memory.read","risk_level":"safe","description":"Read from memory/knowledge stores","status":"approved","approved_by":"admin","decided_at":"2026-02-27T12:00:00.000Z","expires_at":"2026-02-27T12:01:00.000Z"}]}
        {"status":"decided","server_id":"fs","grants":{"camera":"deferred"},"approved_by":"admin","decided_at":"2026-02-27T12:00:00.000Z","expires_at":null}
    "#]].assert_eq(&answers);
}

#[test]
fn d10_replay_fills_a_gap() {
    let replay = Replay {
        events: vec![
            (8, raw(r#"{"event_type":"TOOL_EXECUTED"}"#)),
            (9, raw(r#"{"event_type":"TOOL_BLOCKED"}"#)),
        ],
        latest: 12,
        oldest: Some(3),
    };
    let mut answers = answered(KernelTool::AuditReplay, &replay.to_raw(7));
    answers += &answered(
        KernelTool::AuditReplay,
        &Replay {
            latest: 12,
            ..Replay::default()
        }
        .to_raw(12),
    );
    expect![[r#"
        {"events":[{"event_type":"TOOL_EXECUTED","_mgp":{"seq":8},"_meta":{"dev.cloto/mgp":{"seq":8}}},{"event_type":"TOOL_BLOCKED","_mgp":{"seq":9},"_meta":{"dev.cloto/mgp":{"seq":9}}}],"next_seq":9,"latest_seq":12,"complete":false,"oldest_seq":3}
        {"events":[],"next_seq":12,"latest_seq":12,"complete":true}
    "#]].assert_eq(&answers);
}
