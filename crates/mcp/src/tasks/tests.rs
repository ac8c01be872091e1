//! Tasks in both sets of words.

use jsonrpc::Limits;

use super::*;

fn raw(json: &str) -> Raw {
    Raw::parse(json.as_bytes().to_vec(), &Limits::default()).expect("JSON")
}

/// A flat task of the core, without braces.
const CORE: &str = r#""taskId":"1","status":"working","createdAt":"2025-11-25T10:30:00Z","lastUpdatedAt":"2025-11-25T10:40:00Z","x":1.0"#;

#[test]
fn a_created_task_crosses_both_ways() {
    let core = format!(r#"{{"task":{{{CORE},"ttl":60000,"pollInterval":5000}},"_meta":{{"a/b":1}}}}"#);
    let extension = format!(r#"{{{CORE},"ttlMs":60000,"pollIntervalMs":5000,"resultType":"task","_meta":{{"a/b":1}}}}"#);
    assert!(is_created(&raw(&core)) && !is_created(&raw(&extension)));
    assert_eq!(created_to_modern(&raw(&core)).text(), extension);
    assert_eq!(created_to_legacy(&raw(&extension)).text(), core);
    for task in [&core, &extension] {
        assert_eq!(task_id(&raw(task)).as_deref(), Some("1"));
        assert_eq!(status(&raw(task)), Some(Status::Working));
        assert_eq!(task_id(&with_task_id(&raw(task), "s:1")).as_deref(), Some("s:1"));
    }
    // Without a time to live, for ever; without a task, whatever it is.
    let endless = created_to_modern(&raw(r#"{"task":{"taskId":"1"}}"#));
    assert_eq!(endless.text(), r#"{"taskId":"1","ttlMs":null,"resultType":"task"}"#);
    assert_eq!(
        created_to_modern(&raw(r#"{"content":[]}"#)).text(),
        r#"{"content":[],"resultType":"complete"}"#
    );
}

#[test]
fn a_modern_client_gets_the_payload_with_the_task() {
    let task = |status: &str| raw(&format!(r#"{{"taskId":"1","status":"{status}","ttl":null}}"#));
    let input = InputRequired {
        requests: vec![adapt::InputRequest {
            key: "k".to_owned(),
            method: "roots/list".to_owned(),
            params: None,
        }],
        state: Some("not on this wire".to_owned()),
    };
    let result = raw(r#"{"content":[],"isError":true,"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"1"}}}"#);
    let cases = [
        ("working", Payload::None, r#""status":"working","ttlMs":null"#),
        ("cancelled", Payload::None, r#""status":"cancelled","ttlMs":null"#),
        ("completed", Payload::None, r#""status":"working","ttlMs":null"#),
        ("input_required", Payload::None, r#""status":"working","ttlMs":null"#),
        (
            "failed",
            Payload::Result(result),
            r#""status":"completed","ttlMs":null,"result":{"content":[],"isError":true,"resultType":"complete"}"#,
        ),
        (
            "failed",
            Payload::Error(ErrorObject::new(-32603, "m")),
            r#""status":"failed","ttlMs":null,"error":{"code":-32603,"message":"m"}"#,
        ),
        (
            "input_required",
            Payload::Input(input),
            r#""status":"input_required","ttlMs":null,"inputRequests":{"k":{"method":"roots/list"}}"#,
        ),
    ];
    for (status, payload, expected) in cases {
        let got = got_to_modern(&task(status), &payload);
        assert_eq!(
            got.text(),
            format!(r#"{{"taskId":"1",{expected},"resultType":"complete"}}"#),
            "{status}"
        );
        assert_eq!(
            status_to_modern(&task(status), &payload).text(),
            format!(r#"{{"taskId":"1",{expected}}}"#),
            "{status}"
        );
    }
}

#[test]
fn a_legacy_client_gets_the_task_and_the_payload_apart() {
    let task = |status: &str, member: &str| {
        raw(&format!(
            r#"{{"resultType":"complete","taskId":"1","status":"{status}","ttlMs":5{member}}}"#
        ))
    };
    let cases = [
        ("working", "", "working", Payload::None),
        (
            "completed",
            r#","result":{"content":[]}"#,
            "completed",
            Payload::Result(raw(r#"{"content":[]}"#)),
        ),
        (
            "completed",
            r#","result":{"isError":true}"#,
            "failed",
            Payload::Result(raw(r#"{"isError":true}"#)),
        ),
        (
            "failed",
            r#","error":{"code":1,"message":"m"}"#,
            "failed",
            Payload::Error(ErrorObject::new(1, "m")),
        ),
        ("cancelled", "", "cancelled", Payload::None),
    ];
    for (status, member, told, payload) in cases {
        let (legacy, found) = got_to_legacy(&task(status, member));
        assert_eq!(legacy.text(), format!(r#"{{"taskId":"1","status":"{told}","ttl":5}}"#));
        assert_eq!(found, payload, "{status}");
    }
    let (_, asked) = got_to_legacy(&task("input_required", r#","inputRequests":{"k":{"method":"roots/list"}}"#));
    assert!(matches!(asked, Payload::Input(input) if input.requests[0].key == "k"));
}

#[test]
fn the_outcome_of_a_task_names_it() {
    let result = raw(r#"{"resultType":"complete","content":[],"structuredContent":[1]}"#);
    let expected = r#"{"content":[],"structuredContent":{"result":[1]},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"1"}}}"#;
    assert_eq!(payload_to_legacy("1", &result).text(), expected);
}

#[test]
fn cancelling() {
    assert_eq!(acknowledged().text(), r#"{"resultType":"complete"}"#);
    for (status, told) in [
        ("working", "cancelled"),
        ("input_required", "cancelled"),
        ("completed", "completed"),
    ] {
        let task = raw(&format!(
            r#"{{"resultType":"complete","taskId":"1","status":"{status}","ttlMs":null}}"#
        ));
        assert_eq!(
            cancelled_to_legacy(&task).text(),
            format!(r#"{{"taskId":"1","status":"{told}","ttl":null}}"#)
        );
    }
}

#[test]
fn asking_for_a_task() {
    let params = raw(r#"{"name":"t"}"#);
    assert_eq!(with_task(&params, Some(5)).text(), r#"{"name":"t","task":{"ttl":5}}"#);
    assert_eq!(without_task(&with_task(&params, None)), params);
    assert!(requested(&with_task(&params, None)).is_some() && requested(&params).is_none());
    let tool = |execution: &str| raw(&format!(r#"{{"name":"t"{execution}}}"#));
    let cases = [
        ("", TaskSupport::Forbidden),
        (r#","execution":{}"#, TaskSupport::Forbidden),
        (r#","execution":{"taskSupport":"optional"}"#, TaskSupport::Optional),
        (r#","execution":{"taskSupport":"required"}"#, TaskSupport::Required),
    ];
    for (execution, support) in cases {
        assert_eq!(task_support(&tool(execution)), support);
        assert_eq!(
            task_support(&with_task_support(&tool(execution))),
            if support == TaskSupport::Forbidden {
                TaskSupport::Optional
            } else {
                support
            }
        );
    }
}

#[test]
fn a_task_of_the_gateway() {
    let task = legacy_task("9", Status::Completed, "2026-01-01T00:00:00Z", None);
    let expected =
        r#"{"taskId":"9","status":"completed","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null}"#;
    assert_eq!(task.text(), expected);
    assert!(status(&task).is_some_and(Status::is_terminal) && !Status::InputRequired.is_terminal());
}
