//! Tests of the plans of retries, as tables.

use std::fmt::Write;
use std::time::Duration;

use expect_test::expect;
use jsonrpc::ErrorObject;
use mgp::error::Reported;
use mgp::retry::{Caps, Plan, Reason, Step, details};

use crate::raw;

fn error(recovery: &str) -> Reported {
    Reported::read(&ErrorObject::new(3000, "no").with_data(raw(&format!(r#"{{"_mgp":{recovery}}}"#))))
}

const LONG: Duration = Duration::from_secs(600);

/// Returns the steps of a call that fails repeatedly in one way, with the least and the most jitter.
fn steps(recovery: &str, remaining: Duration, random: u64) -> String {
    let (error, mut plan) = (error(recovery), Plan::new(Caps::default()));
    let mut shown = String::new();
    loop {
        let step = plan.failed(&error, remaining, random);
        writeln!(shown, "{}", details(&plan, &error, &step).text()).expect("text");
        if matches!(step, Step::GiveUp(_)) {
            return shown;
        }
    }
}

#[test]
fn row_14_6_wait_retry_stop_fall_back() {
    expect![[r#"
        {"code":3000,"retries":1,"next":"again","wait_ms":1000}
        {"code":3000,"retries":2,"next":"again","wait_ms":2000}
        {"code":3000,"retries":3,"next":"again","wait_ms":4000}
        {"code":3000,"retries":3,"next":"fallback","fallback_tool":"other"}
        {"code":3000,"retries":3,"next":"none","reason":"retries exhausted"}
    "#]]
    .assert_eq(&steps(
        r#"{"retryable":true,"retry_after_ms":1000,"retry_strategy":"exponential_backoff","max_retries":9,"fallback_tool":"other"}"#,
        LONG,
        0,
    ));
    expect![[r#"
        {"code":3000,"retries":1,"next":"again","wait_ms":200}
        {"code":3000,"retries":2,"next":"again","wait_ms":200}
        {"code":3000,"retries":2,"next":"none","reason":"retries exhausted"}
    "#]]
    .assert_eq(&steps(
        r#"{"retryable":true,"retry_after_ms":200,"retry_strategy":"fixed_delay","max_retries":2}"#,
        LONG,
        0,
    ));
    expect![[r#"
        {"code":3000,"retries":1,"next":"again","wait_ms":0}
        {"code":3000,"retries":2,"next":"again","wait_ms":0}
        {"code":3000,"retries":3,"next":"again","wait_ms":0}
        {"code":3000,"retries":3,"next":"none","reason":"retries exhausted"}
    "#]]
    .assert_eq(&steps(r#"{"retryable":true,"retry_strategy":"immediate"}"#, LONG, 7));
}

#[test]
fn row_14_6_what_is_not_retryable_is_not_tried_again_nor_elsewhere() {
    expect![[r#"
        {"code":3000,"retries":0,"next":"none","reason":"not retryable"}
    "#]]
    .assert_eq(&steps(
        r#"{"retryable":false,"retry_after_ms":1,"max_retries":9,"fallback_tool":"other"}"#,
        LONG,
        0,
    ));
}

#[test]
fn d32_a_server_is_obeyed_within_the_callers_deadline() {
    let soon = Duration::from_millis(2_500);
    expect![[r#"
        {"code":3000,"retries":1,"next":"again","wait_ms":1000}
        {"code":3000,"retries":2,"next":"again","wait_ms":2000}
        {"code":3000,"retries":2,"next":"none","reason":"the wait would be too long"}
    "#]]
    .assert_eq(&steps(
        r#"{"retryable":true,"retry_after_ms":1000,"retry_strategy":"exponential"}"#,
        soon,
        0,
    ));
    // An hour is too long to wait; the alternative is called.
    expect![[r#"
        {"code":3000,"retries":0,"next":"fallback","fallback_tool":"other"}
        {"code":3000,"retries":0,"next":"none","reason":"retries exhausted"}
    "#]]
    .assert_eq(&steps(
        r#"{"retryable":true,"retry_after_ms":3600000,"fallback_tool":"other"}"#,
        LONG,
        0,
    ));
}

#[test]
fn jitter_only_lengthens_and_is_bounded() {
    let error = error(r#"{"retryable":true,"retry_after_ms":1000,"retry_strategy":"fixed_delay"}"#);
    for random in [0, 1, 250, 251, u64::MAX] {
        let Step::Again(wait) = Plan::new(Caps::default()).failed(&error, LONG, random) else {
            panic!("it is tried again");
        };
        assert!((1000..=1250).contains(&wait.as_millis()), "{wait:?}");
    }
    let huge = self::error(r#"{"retryable":true,"retry_after_ms":18446744073709551615,"retry_strategy":"exponential"}"#);
    assert_eq!(
        Plan::new(Caps::default()).failed(&huge, LONG, u64::MAX),
        Step::GiveUp(Reason::TooLong)
    );
}
