//! `_meta`, read and written.

use jsonrpc::{Limits, Raw};
use model::Trace;

use super::*;
use crate::capabilities::ClientCapabilities;
use crate::revision::Revision;

fn raw(json: &str) -> Raw {
    Raw::parse(json.as_bytes().to_vec(), &Limits::default()).expect("JSON")
}

const FULL: &str = r#"{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/logLevel":"notice","progressToken":7,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01","x/y":1.0}}"#;

#[test]
fn a_modern_request_is_read() {
    let params = raw(FULL);
    assert!(is_modern(Some(&params)));
    let meta = ModernMeta::read(Some(&params)).expect("modern");
    assert_eq!(meta.version, "2026-07-28");
    assert!(meta.capabilities.roots() && !meta.capabilities.sampling());
    assert_eq!(meta.client_info.expect("info").text(), r#"{"name":"c","version":"1"}"#);
    assert_eq!(meta.log_level, Some(LogLevel::Notice));
    assert_eq!(meta.progress_token.expect("token").text(), "7");
    assert_eq!(meta.trace.id(), Some("0af7651916cd43dd8448eb211c80319c"));
    let least = raw(r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"v9","io.modelcontextprotocol/clientCapabilities":{}}}"#);
    assert_eq!(ModernMeta::read(Some(&least)).expect("modern").version, "v9");
}

#[test]
fn what_is_missing_or_ill_typed_is_refused() {
    let v = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let c = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
    let cases = [
        r#"{}"#.to_owned(),
        "[]".to_owned(),
        r#"{"_meta":1}"#.to_owned(),
        r#"{"_meta":{}}"#.to_owned(),
        format!(r#"{{"_meta":{{{v}}}}}"#),
        format!(r#"{{"_meta":{{{c}}}}}"#),
        format!(r#"{{"_meta":{{{v},{v},{c}}}}}"#),
        format!(r#"{{"_meta":{{{v},{c}}},"_meta":{{{v},{c}}}}}"#),
        format!(r#"{{"_meta":{{{c},"io.modelcontextprotocol/protocolVersion":1}}}}"#),
        format!(r#"{{"_meta":{{{v},"io.modelcontextprotocol/clientCapabilities":[]}}}}"#),
        format!(r#"{{"_meta":{{{v},{c},"io.modelcontextprotocol/clientInfo":"me"}}}}"#),
        format!(r#"{{"_meta":{{{v},{c},"io.modelcontextprotocol/logLevel":"loud"}}}}"#),
        format!(r#"{{"_meta":{{{v},{c},"progressToken":null}}}}"#),
    ];
    for case in cases {
        let error = ModernMeta::read(Some(&raw(&case))).expect_err(&case);
        assert_eq!(error.code, -32602, "{case}");
    }
    assert_eq!(ModernMeta::read(None).expect_err("no params").code, -32602);
    assert!(!is_modern(None) && !is_modern(Some(&raw(r#"{"_meta":{"progressToken":1}}"#))));
}

fn stripped(params: &Raw) -> Raw {
    let change = Change {
        strip: true,
        ..Change::default()
    };
    change.apply(Some(params))
}

fn modernised(params: Option<&Raw>, modern: Modern<'_>) -> Raw {
    let change = Change {
        modern: Some(modern),
        ..Change::default()
    };
    change.apply(params)
}

#[test]
fn what_is_modern_goes_and_the_rest_stays() {
    let trace = r#""traceparent":"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01""#;
    assert_eq!(
        stripped(&raw(FULL)).text(),
        format!(r#"{{"name":"t","_meta":{{"progressToken":7,{trace},"x/y":1.0}}}}"#)
    );
    let only =
        r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"a":1.0}"#;
    assert_eq!(stripped(&raw(only)).text(), r#"{"a":1.0}"#);
    let legacy = r#"{ "a" : 1.0 , "_meta":{"x":1} }"#;
    assert_eq!(stripped(&raw(legacy)).text(), legacy);
}

#[test]
fn what_is_modern_is_written() {
    let capabilities = ClientCapabilities::new(raw(r#"{"roots":{}}"#));
    let modern = Modern {
        revision: Revision::LATEST,
        capabilities: &capabilities,
        client_info: None,
        log_level: None,
    };
    let written =
        r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}}}}"#;
    assert_eq!(modernised(None, modern).text(), written);
    // Over another's, in place; a log level that the request does not ask for is removed.
    let relayed = modernised(Some(&raw(FULL)), modern);
    assert_eq!(relayed.text(), FULL.replace(r#""io.modelcontextprotocol/logLevel":"notice","#, ""));
    let info = raw(r#"{"name":"g"}"#);
    let more = Modern {
        client_info: Some(&info),
        log_level: Some(LogLevel::Error),
        ..modern
    };
    let read = ModernMeta::read(Some(&modernised(Some(&raw(r#"{"a":1}"#)), more))).expect("modern");
    assert_eq!((read.client_info, read.log_level), (Some(info), Some(LogLevel::Error)));
}

#[test]
fn one_change_does_all_of_it() {
    let trace = Trace {
        parent: Some("p".to_owned()),
        state: None,
        baggage: Some("b=1".to_owned()),
        named: None,
    };
    let token = Raw::uint(9);
    let change = Change {
        strip: true,
        progress_token: Some(&token),
        trace: Some(&trace),
        ..Change::default()
    };
    let modern_only = raw(r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":"t"}"#);
    let changed = change.apply(Some(&modern_only));
    assert_eq!(
        changed.text(),
        r#"{"_meta":{"progressToken":9,"traceparent":"p","baggage":"b=1"},"name":"t"}"#
    );
    assert_eq!(super::trace(Some(&changed)), trace);
    assert_eq!(progress_token(Some(&changed)), Some(token));
    let without = Change {
        no_progress_token: true,
        ..Change::default()
    }
    .apply(Some(&raw(r#"{"_meta":{"progressToken":1}}"#)));
    assert_eq!(without.text(), "{}");
}

#[test]
fn progress_tokens_are_strings_or_numbers() {
    for (json, token) in [("1", true), (r#""a""#, true), ("null", false), ("{}", false), ("true", false)] {
        let params = raw(&format!(r#"{{"_meta":{{"progressToken":{json}}}}}"#));
        assert_eq!(progress_token(Some(&params)).is_some(), token, "{json}");
    }
    assert_eq!(
        with_progress_token(None, &Raw::string("a")).text(),
        r#"{"_meta":{"progressToken":"a"}}"#
    );
}

#[test]
fn any_key() {
    let result = set(&raw(r#"{"tools":[]}"#), key::SERVER_INFO, &raw(r#"{"name":"s"}"#));
    assert_eq!(
        result.text(),
        r#"{"tools":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}}}"#
    );
    assert_eq!(get(&result, key::SERVER_INFO).expect("info").text(), r#"{"name":"s"}"#);
    assert_eq!(remove(&result, key::SERVER_INFO).text(), r#"{"tools":[]}"#);
    assert_eq!(remove(&result, "other"), result);
}

#[test]
fn levels() {
    for level in LogLevel::ALL {
        assert_eq!(LogLevel::parse(level.as_str()), Some(level));
    }
    assert!(LogLevel::ALL.is_sorted() && LogLevel::Debug < LogLevel::Emergency);
    assert_eq!(LogLevel::parse("Debug"), None);
}
