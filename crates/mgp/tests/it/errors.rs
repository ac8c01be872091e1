//! Tests of refusals of every code in both shapes, and of servers' errors in all their forms.

use std::fmt::Write;

use expect_test::{expect, expect_file};
use jsonrpc::{ErrorObject, Raw};
use mgp::error::{Category, Code, Refusal, Reported, Strategy};

use crate::raw;

/// §14.3 to §14.5: every code by number and name, as an error for clients that negotiated `error_handling` and as a rejection for the others.
#[test]
fn row_14_3_every_code_has_a_golden() {
    let mut goldens = String::new();
    for code in Code::all() {
        let refusal = Refusal::new(code, format!("an example of {}", code.name())).with_hint("do something else");
        writeln!(goldens, "{code} ({})", code.category().as_str()).expect("text");
        writeln!(goldens, "  {}", refusal.to_error().to_raw().text()).expect("text");
        writeln!(goldens, "  {}", refusal.to_rejection().text()).expect("text");
    }
    expect_file![crate::data("errors.txt")].assert_eq(&goldens);
}

#[test]
fn row_14_2_numbers_names_and_categories_agree() {
    let codes: Vec<Code> = Code::all().collect();
    assert_eq!(codes.len(), 19);
    assert!(
        codes.is_sorted_by_key(|code| code.number()),
        "the table is in the order of the numbers"
    );
    for code in codes {
        assert_eq!(Code::of(code.number()), Some(code));
        assert_eq!(Category::of(code.number()), Some(code.category()));
    }
    assert_eq!(Code::of(1004), None);
    assert_eq!(Category::of(-32600), None);
}

fn members(raw: &Raw) -> Vec<(String, String)> {
    let object = raw.object().expect("an object");
    object
        .iter()
        .map(|(key, value)| (key.to_owned(), value.text().to_owned()))
        .collect()
}

/// D18: clients that negotiated `error_handling` get an error, the models of others a result; both have equal content.
#[test]
fn d18_both_shapes_carry_the_same_data() {
    let refusal = Refusal::new(Code::RateLimited, "10 requests per minute are exceeded")
        .with_details(raw(r#"{"limit":10,"window_secs":60,"current":12}"#))
        .with_fallback("search_cached")
        .with_hint("wait a little")
        .retry_after(5_000, 3);
    expect![[r#"{"code":3000,"message":"10 requests per minute are exceeded","data":{"_mgp":{"category":"resource","retryable":true,"retry_after_ms":5000,"retry_strategy":"exponential_backoff","max_retries":3,"fallback_tool":"search_cached","details":{"limit":10,"window_secs":60,"current":12,"remediation_hint":"wait a little"}}}}"#]]
        .assert_eq(refusal.to_error().to_raw().text());
    expect![[r#"{"status":"rejected","code":3000,"error":"RATE_LIMITED","reason":"10 requests per minute are exceeded","category":"resource","retryable":true,"retry_after_ms":5000,"retry_strategy":"exponential_backoff","max_retries":3,"fallback_tool":"search_cached","details":{"limit":10,"window_secs":60,"current":12},"remediation_hint":"wait a little"}"#]]
        .assert_eq(refusal.to_rejection().text());

    let error = refusal.answer(true, true).expect_err("an error");
    assert_eq!(error.code, 3000);
    assert_eq!(
        refusal.answer(false, false).expect_err("an error where no tool is called").code,
        3000
    );
    let result = refusal.answer(true, false).expect("a result");
    assert_eq!(result.get("isError").and_then(|flag| flag.as_bool()), Some(true));
    let text = result.get("content").expect("content").items()[0].get("text").expect("a text");
    let body = raw(&text.as_str().expect("a text"));
    assert_eq!(body, refusal.to_rejection());

    // Every member of the rejection is in the error: at its top, in `_mgp`, or in the details there.
    let said = error.data.expect("data").get("_mgp").expect("`_mgp`");
    let mut all = members(&said);
    all.extend(members(&said.get("details").expect("details")));
    for (key, value) in members(&body) {
        let elsewhere = ["status", "code", "error", "reason", "details"].contains(&key.as_str());
        assert!(elsewhere || all.contains(&(key.clone(), value)), "{key}");
    }
}

#[test]
fn d2_a_call_that_waits_for_a_person_names_the_request() {
    let request = model::RequestId::new("perm-7");
    let refusal = Refusal::new(Code::PermissionDenied, "`fs` waits for a decision on `shell.execute`")
        .with_details(raw(r#"{"server_id":"fs"}"#))
        .waiting_for(&request);
    expect![[r#"{"code":1000,"message":"`fs` waits for a decision on `shell.execute`","data":{"_mgp":{"category":"security","retryable":true,"retry_after_ms":5000,"retry_strategy":"fixed_delay","max_retries":12,"details":{"server_id":"fs","request_id":"perm-7"}}}}"#]]
        .assert_eq(refusal.to_error().to_raw().text());
}

#[test]
fn row_7_4_rejected_code_says_what_and_what_would_pass() {
    let hints =
        raw(r#"{"blocked_imports":["subprocess","shutil"],"allowed_imports":["asyncio","json","httpx"],"max_code_size_bytes":10000}"#);
    let violations = ["Blocked import: 'subprocess'", "Blocked pattern: 'eval('"].map(str::to_owned);
    let refusal = Refusal::new(Code::CodeSafetyViolation, "Code validation failed").with_violations(violations, Some(hints));
    expect![[r#"{"status":"rejected","code":1011,"error":"CODE_SAFETY_VIOLATION","reason":"Code validation failed","category":"security","retryable":false,"violations":["Blocked import: 'subprocess'","Blocked pattern: 'eval('"],"hints":{"blocked_imports":["subprocess","shutil"],"allowed_imports":["asyncio","json","httpx"],"max_code_size_bytes":10000}}"#]]
        .assert_eq(refusal.to_rejection().text());
    expect![[r#"{"_mgp":{"category":"security","retryable":false,"details":{"violations":["Blocked import: 'subprocess'","Blocked pattern: 'eval('"],"hints":{"blocked_imports":["subprocess","shutil"],"allowed_imports":["asyncio","json","httpx"],"max_code_size_bytes":10000}}}}"#]]
        .assert_eq(refusal.to_error().data.expect("data").text());
    let many = Refusal::new(Code::ValidationBlocked, "no").with_violations((0..100).map(|i| i.to_string()), None);
    let told = many.to_rejection().get("violations").expect("violations").items().len();
    assert_eq!(told, 32, "a refusal has a bound");
}

fn reported(code: i64, data: &str) -> Reported {
    Reported::read(&ErrorObject::new(code, "no").with_data(raw(data)))
}

#[test]
fn row_14_5_recovery_fields_are_read() {
    let read = reported(
        3000,
        r#"{"_mgp":{"category":"resource","retryable":true,"retry_after_ms":5000,"retry_strategy":"exponential_backoff","max_retries":3,"fallback_tool":"b","details":{"limit":10}}}"#,
    );
    assert_eq!(read.code, Some(Code::RateLimited));
    let recovery = read.recovery;
    assert!(recovery.retryable);
    assert_eq!(
        (recovery.category, recovery.retry_after_ms, recovery.max_retries),
        (Category::Resource, Some(5000), Some(3))
    );
    assert_eq!(recovery.strategy, Some(Strategy::ExponentialBackoff));
    assert_eq!(recovery.fallback_tool.as_deref(), Some("b"));
    assert_eq!(recovery.details, Some(raw(r#"{"limit":10}"#)));
}

#[test]
fn d32_wild_values_are_read_as_the_most_careful() {
    // The forms of a later draft: nested, with other words, and with other types.
    let nested = reported(
        5000,
        r#"{"_mgp":{"recovery":{"category":"upstream","retryable":true,"retry_after_ms":1500.5,"retry_strategy":"exponential","max_retries":"2"}}}"#,
    );
    assert_eq!(nested.recovery.category, Category::External);
    assert_eq!(nested.recovery.strategy, Some(Strategy::ExponentialBackoff));
    assert_eq!((nested.recovery.retry_after_ms, nested.recovery.max_retries), (Some(1501), Some(2)));
    let meta = reported(
        -32000,
        r#"{"_meta":{"dev.cloto/mgp":{"retryable":true,"category":"weather","retry_after_ms":-5,"max_retries":1e30,"fallback_tool":""}}}"#,
    );
    assert_eq!((meta.code, meta.recovery.category), (None, Category::External));
    assert_eq!((meta.recovery.retry_after_ms, meta.recovery.max_retries), (None, Some(u32::MAX)));
    assert_eq!((meta.recovery.strategy, meta.recovery.fallback_tool), (None, None));
    // A missing or unreadable value means no.
    for data in [
        "null",
        "{}",
        r#""gone""#,
        r#"{"_mgp":{}}"#,
        r#"{"_mgp":{"retryable":"yes"}}"#,
        r#"{"_mgp":{"retryable":1}}"#,
        r#"{"_mgp":{"retryable":false,"retryable":true}}"#,
        r#"{"_mgp":[]}"#,
    ] {
        assert!(!reported(3000, data).recovery.retryable, "{data}");
    }
}
