//! Tests of a trace in every carrier.

use expect_test::expect;
use jsonrpc::{Limits, Raw};

use super::TraceId;

fn raw(text: &str) -> Raw {
    Raw::parse(text.to_owned(), &Limits::default()).expect("JSON")
}

fn read(text: &str) -> Option<String> {
    TraceId::read(Some(&raw(text))).map(|id| id.to_string())
}

#[test]
fn d6_a_trace_is_read_from_every_carrier() {
    let uuid = Some("550e8400-e29b-41d4-a716-446655440000".to_owned());
    for params in [
        r#"{"trace_id":"550e8400-e29b-41d4-a716-446655440000"}"#,
        r#"{"_mgp":{"trace_id":"550e8400-e29b-41d4-a716-446655440000"}}"#,
        r#"{"_meta":{"dev.cloto/mgp":{"trace_id":"550e8400-e29b-41d4-a716-446655440000"}}}"#,
        r#"{"_meta":{"traceparent":"00-550e8400e29b41d4a716446655440000-00f067aa0ba902b7-01"}}"#,
        r#"{"trace_id":"","_mgp":7,"_meta":{"traceparent":"00-550E8400E29B41D4A716446655440000-00f067aa0ba902b7-01"}}"#,
    ] {
        assert_eq!(read(params), uuid, "{params}");
    }
    assert_eq!(
        read(r#"{"trace_id":"mine","_meta":{"traceparent":"00-550e8400e29b41d4a716446655440000-00f067aa0ba902b7-01"}}"#),
        Some("mine".into())
    );
}

#[test]
fn d6_what_is_no_trace_is_none() {
    let long = format!(r#"{{"trace_id":"{}"}}"#, "x".repeat(129));
    for params in [
        "{}",
        r#"{"trace_id":5}"#,
        r#"{"trace_id":"a b"}"#,
        r#"{"trace_id":"a\u0000b"}"#,
        r#"{"_meta":{"traceparent":"00-00000000000000000000000000000000-00f067aa0ba902b7-01"}}"#,
        r#"{"_meta":{"traceparent":"nonsense"}}"#,
        &long,
    ] {
        assert_eq!(read(params), None, "{params}");
    }
    assert_eq!(TraceId::read(None), None);
}

#[test]
fn row_6_5_a_trace_is_written_in_every_carrier() {
    let id = TraceId::random(u128::MAX);
    assert_eq!(id.as_str(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    expect![[r#"{"name":"x","_meta":{"k":1,"dev.cloto/mgp":{"trace_id":"ffffffff-ffff-4fff-bfff-ffffffffffff"},"traceparent":"00-ffffffffffff4fffbfffffffffffffff-0000000000000007-01"},"trace_id":"ffffffff-ffff-4fff-bfff-ffffffffffff","_mgp":{"trace_id":"ffffffff-ffff-4fff-bfff-ffffffffffff"}}"#]]
        .assert_eq(id.write(Some(&raw(r#"{"name":"x","_meta":{"k":1}}"#)), 7, true).text());
    expect![[r#"{"_meta":{"traceparent":"00-ffffffffffff4fffbfffffffffffffff-0000000000000001-01"}}"#]]
        .assert_eq(id.write(None, 0, false).text());
}

#[test]
fn a_trace_context_that_is_there_stays() {
    let params = raw(r#"{"_meta":{"traceparent":"00-550e8400e29b41d4a716446655440000-00f067aa0ba902b7-00"}}"#);
    let id = TraceId::read(Some(&params)).expect("a trace");
    assert_eq!(id.write(Some(&params), 7, false), params);
    let own = TraceId::parse("not-a-uuid").expect("an id");
    assert_eq!(own.write(None, 7, false).text(), "{}");
}
