//! Durations, sizes, variables, addresses.

use std::time::Duration;

use crate::config::quantity::{duration, size};
use crate::config::{Env, ExpandError, address, expand, is_literal, nearest};

#[test]
fn durations() {
    assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
    assert_eq!(duration("30 s"), Ok(Duration::from_secs(30)));
    assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
    for wrong in [
        "",
        "s",
        "1",
        "1x",
        "0s",
        "-1s",
        "1.5s",
        "400d",
        "99999999999999999999s",
        "18446744073709551615d",
    ] {
        assert!(duration(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn sizes() {
    assert_eq!(size("4096"), Ok(4096));
    assert_eq!(size("64KiB"), Ok(65536));
    assert_eq!(size("1MB"), Ok(1_000_000));
    for wrong in ["", "0", "1 TiB", "2000GiB", "MiB", "18446744073709551615GiB"] {
        assert!(size(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn expansion() {
    let env: Env = [("A", "one"), ("EMPTY", "")].into_iter().collect();
    let expanded = |text: &str| expand(text, &env);
    assert_eq!(expanded("x${A}y${A}").as_deref(), Ok("xoneyone"));
    assert_eq!(expanded("${B:-two}${EMPTY:-three}[${EMPTY}]").as_deref(), Ok("twothree[]"));
    assert_eq!(expanded("$${A} $A ${B:-}").as_deref(), Ok("${A} $A "));
    assert_eq!(expanded("${B}"), Err(ExpandError::Unset("B".to_owned())));
    for wrong in ["${", "${}", "${1A}", "${A B}", "${A:-${B}}", "${A"] {
        assert!(matches!(expanded(wrong), Err(ExpandError::Malformed(_))), "{wrong}");
    }
}

#[test]
fn what_is_literal() {
    assert!(is_literal("sk-123"));
    assert!(!is_literal("Bearer ${TOKEN}"));
    assert!(!is_literal(""));
}

#[test]
fn addresses() {
    assert_eq!(address("localhost:80").map(|a| a.to_string()).as_deref(), Ok("127.0.0.1:80"));
    assert_eq!(address("[::1]:0").map(|a| a.to_string()).as_deref(), Ok("[::1]:0"));
    assert!(address("example.com:80").is_err());
    assert!(address(":80").is_err());
}

#[test]
fn near_words() {
    assert_eq!(nearest("commnad", ["command", "args"].into_iter()), Some("command"));
    assert_eq!(nearest("Request-Timeout", ["request_timeout"].into_iter()), Some("request_timeout"));
    assert_eq!(nearest("policy", ["gateway", "servers"].into_iter()), None);
}
