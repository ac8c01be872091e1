//! Tests of audit events: their exact form when written, and their strict reading.

use expect_test::expect;
use jsonrpc::ErrorObject;
use mgp::audit::{Actor, Call, Draft, Ending, Event, EventType, METHOD, Outcome, Redactor, Target, notification};
use mgp::error::{Code, Refusal};
use mgp::trace::TraceId;
use model::{Digest, PrincipalId, RequestId, Risk, Role, ServerId, Timestamp, ToolId};

use crate::raw;

fn server() -> ServerId {
    ServerId::new("tool.terminal").expect("an id")
}

fn example() -> Event {
    let tool = ToolId {
        server: server(),
        name: "execute_command".into(),
    };
    let actor = Actor::principal(&PrincipalId::new("agent.cloto_default"), Role::Agent);
    Draft::new(EventType::ToolExecuted, actor, Target::tool(&tool), Outcome::Success)
        .details(raw(
            r#"{"risk_level":"dangerous","validator_applied":"sandbox","duration_ms":1200}"#,
        ))
        .at(
            Timestamp(1_772_193_600_000),
            TraceId::parse("550e8400-e29b-41d4-a716-446655440000").expect("an id"),
        )
}

/// The specification's example, with all its members except the number of the event.
const SPECIFIED: &str = r#"{"timestamp":"2026-02-27T12:00:00.000Z","trace_id":"550e8400-e29b-41d4-a716-446655440000","event_type":"TOOL_EXECUTED","actor":{"type":"agent","id":"agent.cloto_default"},"target":{"server_id":"tool.terminal","tool_name":"execute_command"},"result":"SUCCESS","details":{"risk_level":"dangerous","validator_applied":"sandbox","duration_ms":1200}}"#;

#[test]
fn row_6_3_an_event_is_written_to_the_letter() {
    assert_eq!(example().to_raw().text(), SPECIFIED);
    assert_eq!(example().to_bytes(), SPECIFIED.as_bytes());
}

#[test]
fn d10_d11_a_notification_has_a_number_in_both_carriers() {
    let message = example().notification(42);
    assert_eq!(message.method(), Some(METHOD));
    let params = message.params().expect("params");
    let expected = SPECIFIED.replace(
        r#""duration_ms":1200}}"#,
        r#""duration_ms":1200},"_mgp":{"seq":42},"_meta":{"dev.cloto/mgp":{"seq":42}}}"#,
    );
    assert_eq!(params.text(), expected);
    assert_eq!(Event::seq(&params), Some(42));
    assert_eq!(Event::read(&params).expect("an event"), example());
    let kept = notification(&raw(SPECIFIED), 42);
    assert_eq!(kept.bytes(), message.bytes(), "what was kept is sent as what happened");
}

#[test]
fn row_6_4_twelve_types_and_names_of_ones_own() {
    let names: Vec<&str> = EventType::STANDARD.iter().map(EventType::as_str).collect();
    expect![[r#"TOOL_EXECUTED TOOL_BLOCKED PERMISSION_GRANTED PERMISSION_DENIED PERMISSION_REVOKED ACCESS_GRANTED ACCESS_REVOKED SERVER_CONNECTED SERVER_DISCONNECTED VALIDATION_FAILED CODE_REJECTED TOOL_CREATED_DYNAMIC"#]]
        .assert_eq(&names.join(" "));
    for name in names {
        assert_eq!(EventType::parse(name).map(|kind| kind.to_string()), Some(name.to_owned()));
    }
    for own in [EventType::CALL_ADMITTED, EventType::RETRY, EventType::REPORTED] {
        assert_eq!(EventType::parse(own.as_str()), Some(own));
    }
    for wrong in [
        "",
        "TOOL_RUN",
        "tool_executed",
        "a..b",
        ".a",
        "a.",
        "com.example.x y",
        &format!("a.{}", "b".repeat(127)),
    ] {
        assert_eq!(EventType::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn row_6_4_an_event_of_every_type_reads_as_it_was_written() {
    let types = EventType::STANDARD.into_iter().chain([EventType::CALL_ADMITTED]);
    for (event_type, result) in types.zip(Outcome::ALL.into_iter().cycle()) {
        let draft = Draft::new(event_type, Actor::kernel("test"), Target::kernel(), result);
        let event = draft.at(Timestamp(1), TraceId::random(7));
        assert_eq!(Event::read(&event.to_raw()).expect("an event"), event);
    }
}

/// DESIGN 8 and §6.3: the events of a call, before it is sent, instead of it, and after it.
#[test]
fn row_6_4_the_events_of_a_call() {
    let (ada, tool) = (
        PrincipalId::new("ada"),
        ToolId {
            server: server(),
            name: "run".into(),
        },
    );
    let call = Call {
        principal: &ada,
        role: Role::Agent,
        tool: &tool,
        risk: Some(Risk::Dangerous),
        validators: &["sandbox", "network_restricted"],
        revision: 7,
    };
    let redactor = Redactor::default();
    let request = RequestId::new("appr-1");
    let refuse = |code| Refusal::new(code, "no: password=hunter2");
    let error = ErrorObject::new(-32000, "Bearer abc123def456 is wrong");
    let drafts = [
        call.admitted("grant.tool", &Digest([7; 32]), Some(&request)),
        call.refused(&refuse(Code::AccessDenied), &redactor),
        call.refused(&refuse(Code::ValidationBlocked), &redactor),
        call.refused(&refuse(Code::CodeSafetyViolation), &redactor),
        call.refused(&refuse(Code::PermissionDenied).waiting_for(&request), &redactor),
        call.ended(Ending::Result, 12, &redactor),
        call.ended(Ending::ToolError, 12, &redactor),
        call.ended(Ending::Error(&error), 12, &redactor),
        call.ended(Ending::Lost("the server has gone"), 12, &redactor),
    ];
    let lines: Vec<String> = drafts
        .iter()
        .map(|draft| format!("{} {} {}", draft.event_type, draft.result, draft.details.text()))
        .collect();
    expect![[r#"
        dev.chancery.call_admitted SUCCESS {"risk_level":"dangerous","validator_applied":"sandbox+network_restricted","policy_revision":7,"because":"grant.tool","arguments_sha256":"0707070707070707070707070707070707070707070707070707070707070707","request_id":"appr-1"}
        TOOL_BLOCKED BLOCKED {"risk_level":"dangerous","validator_applied":"sandbox+network_restricted","policy_revision":7,"code":1001,"reason":"no: password=***"}
        VALIDATION_FAILED BLOCKED {"risk_level":"dangerous","validator_applied":"sandbox+network_restricted","policy_revision":7,"code":1010,"reason":"no: password=***"}
        CODE_REJECTED BLOCKED {"risk_level":"dangerous","validator_applied":"sandbox+network_restricted","policy_revision":7,"code":1011,"reason":"no: password=***"}
        TOOL_BLOCKED PENDING {"risk_level":"dangerous","validator_applied":"sandbox+network_restricted","policy_revision":7,"code":1000,"reason":"no: password=***","details":{"request_id":"appr-1"}}
        TOOL_EXECUTED SUCCESS {"risk_level":"dangerous","validator_applied":"sandbox+network_restricted","policy_revision":7,"duration_ms":12,"outcome":"result"}
        TOOL_EXECUTED FAILURE {"risk_level":"dangerous","validator_applied":"sandbox+network_restricted","policy_revision":7,"duration_ms":12,"outcome":"tool_error"}
        TOOL_EXECUTED FAILURE {"risk_level":"dangerous","validator_applied":"sandbox+network_restricted","policy_revision":7,"duration_ms":12,"outcome":"error","code":-32000,"error":"Bearer *** is wrong"}
        TOOL_EXECUTED FAILURE {"risk_level":"dangerous","validator_applied":"sandbox+network_restricted","policy_revision":7,"duration_ms":12,"outcome":"transport","error":"the server has gone"}"#]].assert_eq(&lines.join("\n"));
}

#[test]
fn row_6_3_what_is_no_event_is_refused_with_the_reason() {
    let without = |key: &str| raw(SPECIFIED).edit().remove(&[key]).finish();
    let with = |path: &[&str], value: &str| raw(SPECIFIED).edit().set(path, &raw(value)).finish();
    let cases = [
        raw("7"),
        raw(r#"{"result":"SUCCESS","result":"FAILURE"}"#),
        without("timestamp"),
        with(&["timestamp"], r#""yesterday""#),
        without("trace_id"),
        with(&["event_type"], r#""TOOL_RUN""#),
        with(&["actor"], r#""me""#),
        with(&["actor", "type"], r#""god""#),
        with(&["actor", "id"], r#""""#),
        without("target"),
        with(&["target", "server_id"], "null"),
        with(&["result"], r#""OK""#),
        with(&["details"], "[]"),
    ];
    let errors: Vec<String> = cases
        .iter()
        .map(|case| Event::read(case).expect_err("no event").to_string())
        .collect();
    expect![[r#"
        read the event: `params`: not an object at byte 0
        read the event: `params`: the member `result` twice at byte 21
        read the event: it needs `timestamp`, an instant of RFC 3339
        read the event: it needs `timestamp`, an instant of RFC 3339
        read the event: it needs `trace_id`, 1 to 128 visible characters
        read the event: it needs `event_type`, one of §6.4 or a reverse-domain name
        read the event: `actor`: not an object at byte 0
        read the event: it needs `actor.type`, `agent`, `operator`, `server` or `kernel`
        read the event: it needs `actor.id`, a text
        read the event: it needs `target`, an object
        read the event: it needs `target.server_id`, a text
        read the event: it needs `result`, `SUCCESS`, `FAILURE`, `BLOCKED` or `PENDING`
        read the event: it needs `details`, an object"#]]
    .assert_eq(&errors.join("\n"));
    assert_eq!(Event::read(&without("details")).expect("an event").draft.details.text(), "{}");
}

#[test]
fn d11_what_a_server_reports_is_kept_as_its_word_and_nothing_more() {
    let claim = SPECIFIED
        .replace("TOOL_EXECUTED", "ACCESS_GRANTED")
        .replace("1200", r#"1200,"token":"s3cr3t""#);
    let otherwise = TraceId::random(1);
    let kept = Event::reported(&server(), Some(&raw(&claim)), Timestamp(0), otherwise.clone(), &Redactor::default());
    expect![[r#"{"timestamp":"1970-01-01T00:00:00.000Z","trace_id":"550e8400-e29b-41d4-a716-446655440000","event_type":"dev.chancery.reported","actor":{"type":"server","id":"tool.terminal"},"target":{"server_id":"tool.terminal"},"result":"SUCCESS","details":{"verified":false,"well_formed":true,"reported":{"timestamp":"2026-02-27T12:00:00.000Z","trace_id":"550e8400-e29b-41d4-a716-446655440000","event_type":"ACCESS_GRANTED","actor":{"type":"agent","id":"agent.cloto_default"},"target":{"server_id":"tool.terminal","tool_name":"execute_command"},"result":"SUCCESS","details":{"risk_level":"dangerous","validator_applied":"sandbox","duration_ms":1200,"token":"***"}}}}"#]]
        .assert_eq(kept.to_raw().text());
    let empty = Event::reported(&server(), None, Timestamp(0), otherwise.clone(), &Redactor::default());
    assert_eq!(empty.trace, otherwise);
    assert_eq!(
        empty.draft.details.text(),
        r#"{"verified":false,"well_formed":false,"reported":{}}"#
    );
}
