//! Mirrors: the sentinel, the annotations, and both directions.

use jsonrpc::{Limits, Raw};
use proptest::prelude::*;

use super::*;
use crate::revision::Revision;

fn raw(json: &str) -> Raw {
    Raw::parse(json.as_bytes().to_vec(), &Limits::default()).expect("JSON")
}

#[test]
fn values_that_no_header_can_carry_are_encoded() {
    let cases = [
        ("us-west1", "us-west1"),
        ("", ""),
        ("us west 1", "us west 1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("\tindented", "=?base64?CWluZGVudGVk?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64?x", "=?base64?x"),
    ];
    for (text, value) in cases {
        assert_eq!(encode(text), value);
        assert_eq!(decode(value).as_deref(), Some(text));
    }
    assert_eq!(decode(" \tx ").as_deref(), Some("x"));
    assert_eq!(decode("SGVsbG8=").as_deref(), Some("SGVsbG8="));
    for bad in ["=?base64?SGVsbG8?=", "=?base64?SGVs!!G8=?=", "=?base64?/w==?=", "a\u{1}b", "é"] {
        assert_eq!(decode(bad), None, "{bad}");
    }
}

proptest! {
    #[test]
    fn every_text_survives_a_header(text in any::<String>()) {
        let value = encode(&text);
        prop_assert!(value.bytes().all(|b| (0x20..=0x7e).contains(&b)));
        prop_assert_eq!(value.trim(), &*value);
        let decoded = decode(&value);
        prop_assert_eq!(decoded.as_deref(), Some(&*text));
    }
}

fn tool(properties: &str) -> Raw {
    raw(&format!(
        r#"{{"name":"t","inputSchema":{{"type":"object","properties":{properties}}}}}"#
    ))
}

#[test]
fn tools_that_must_be_dropped() {
    let good = [
        r#"{"a":{"type":"string","x-mcp-header":"Region"}}"#,
        r#"{"a":{"type":"object","properties":{"b":{"type":"integer","x-mcp-header":"B"}}},"c":{"type":"boolean","x-mcp-header":"C"}}"#,
        r#"{"x-mcp-header":{"type":"string"}}"#,
        r#"{"a":{"type":["string","null"],"x-mcp-header":"A"}}"#,
        r#"{"a":{"type":"string","default":{"x-mcp-header":"no annotation, data"}}}"#,
        r#"{"a":{"type":"number"}}"#,
    ];
    for properties in good {
        assert_eq!(invalid_tool(&tool(properties)), None, "{properties}");
    }
    let bad = [
        r#"{"a":{"type":"string","x-mcp-header":""}}"#,
        r#"{"a":{"type":"string","x-mcp-header":1}}"#,
        r#"{"a":{"type":"object","x-mcp-header":"A"}}"#,
        r#"{"a":{"type":"array","items":{"type":"string"},"x-mcp-header":"A"}}"#,
        r#"{"a":{"type":"null","x-mcp-header":"A"}}"#,
        r#"{"a":{"type":"number","x-mcp-header":"A"}}"#,
        r#"{"a":{"type":["string","integer"],"x-mcp-header":"A"}}"#,
        r#"{"a":{"x-mcp-header":"A"}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"My Region"}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"Region:Primary"}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"Région"}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"Region\t1"}}"#,
        r#"{"a":{"type":"string","x-mcp-\u0068eader":"a b"}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"R"},"b":{"type":"string","x-mcp-header":"R"}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"MyField"},"b":{"type":"string","x-mcp-header":"myfield"}}"#,
        r#"{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}"#,
        r#"{"a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]}}"#,
        r#"{"a":{"if":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"A"},"a":{"type":"string"}}"#,
    ];
    for properties in bad {
        assert!(invalid_tool(&tool(properties)).is_some(), "{properties}");
    }
    let elsewhere = [
        r#"{"inputSchema":{"type":"object","x-mcp-header":"Root"}}"#,
        r#"{"inputSchema":{"type":"object","$defs":{"d":{"type":"string","x-mcp-header":"D"}}}}"#,
    ];
    for tool in elsewhere {
        assert!(invalid_tool(&raw(tool)).is_some(), "{tool}");
    }
}

fn headers() -> ParamHeaders {
    let schema = r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"},"deep":{"type":"object","properties":{"ok":{"type":"boolean","x-mcp-header":"Ok"}}},"other":{"type":"string"}}}"#;
    ParamHeaders::read(&raw(schema)).expect("good")
}

fn call(arguments: &str) -> Raw {
    raw(&format!(
        r#"{{"name":"t","arguments":{arguments},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}}"#
    ))
}

#[test]
fn what_we_send_is_what_we_accept() {
    let cases = [
        (
            r#"{"region":"us-west1","n":42,"deep":{"ok":false},"other":"x"}"#,
            vec![("Region", "us-west1"), ("N", "42"), ("Ok", "false")],
        ),
        (r#"{"region":" p ","n":-7}"#, vec![("Region", "=?base64?IHAg?="), ("N", "-7")]),
        (r#"{"region":"","n":42.0}"#, vec![("Region", ""), ("N", "42")]),
        (r#"{"region":null,"deep":{}}"#, vec![]),
        (r#"{"region":{"x":1},"deep":1}"#, vec![]),
        ("{}", vec![]),
    ];
    for (arguments, expected) in cases {
        let params = call(arguments);
        let mirrors = mirrors_for(Revision::LATEST, "tools/call", Some(&params), Some(&headers())).expect("mirrors");
        let shown: Vec<_> = mirrors.params.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(shown, expected, "{arguments}");
        assert_eq!(mirrors.name.as_deref(), Some("t"));
        assert_eq!(
            validate(&mirrors, "tools/call", Some(&params), Some(&headers())),
            Ok(()),
            "{arguments}"
        );
    }
    let beyond = mirrors_for(
        Revision::LATEST,
        "tools/call",
        Some(&call(r#"{"n":9007199254740992}"#)),
        Some(&headers()),
    );
    assert_eq!(beyond.expect_err("beyond").code, -32602);
    let surrogate = mirrors_for(
        Revision::LATEST,
        "tools/call",
        Some(&call(r#"{"region":"\ud800"}"#)),
        Some(&headers()),
    );
    assert_eq!(surrogate.expect_err("no text").code, -32602);
}

#[test]
fn legacy_requests_show_their_revision_only() {
    let shown = |revision| mirrors_for(revision, "tools/call", Some(&call(r#"{"n":1}"#)), Some(&headers())).expect("mirrors");
    assert_eq!(shown(Revision::V2025_03_26), Mirrors::default());
    let legacy = Mirrors {
        revision: Some("2025-11-25".to_owned()),
        ..Mirrors::default()
    };
    assert_eq!(shown(Revision::V2025_11_25), legacy);
}

#[test]
fn names_are_mirrored_by_method() {
    let cases = [
        ("tools/call", r#"{"name":"a b"}"#, Some("a b")),
        ("prompts/get", r#"{"name":"ä"}"#, Some("=?base64?w6Q=?=")),
        ("resources/read", r#"{"uri":"file:///x"}"#, Some("file:///x")),
        ("tasks/get", r#"{"taskId":"1"}"#, Some("1")),
        ("tasks/update", r#"{"taskId":"1"}"#, Some("1")),
        ("tasks/cancel", r#"{"taskId":"1"}"#, Some("1")),
        ("tools/list", r#"{"name":"x"}"#, None),
        ("mgp/x", r#"{"name":"x"}"#, None),
        ("tools/call", "{}", None),
    ];
    for (method, params, name) in cases {
        let mirrors = mirrors_for(Revision::LATEST, method, Some(&raw(params)), None).expect("mirrors");
        assert_eq!(mirrors.name.as_deref(), name, "{method} {params}");
        assert_eq!(mirrors.method.as_deref(), Some(method));
    }
}

#[test]
fn what_disagrees_is_refused() {
    let good = Mirrors {
        revision: Some("2026-07-28".to_owned()),
        method: Some("tools/call".to_owned()),
        name: Some(" t ".to_owned()),
        params: vec![
            ("REGION".to_owned(), "eu".to_owned()),
            ("N".to_owned(), "42.0".to_owned()),
            ("Unknown".to_owned(), "\u{1}".to_owned()),
        ],
    };
    let params = call(r#"{"region":"eu","n":42}"#);
    let check = |mirrors: &Mirrors| validate(mirrors, "tools/call", Some(&params), Some(&headers()));
    assert_eq!(check(&good), Ok(()));
    let param = |name: &str, value: &str| {
        let mut params = good.params.clone();
        params.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        params.push((name.to_owned(), value.to_owned()));
        Mirrors { params, ..good.clone() }
    };
    let text = |value: &str| Some(value.to_owned());
    let bad = [
        Mirrors {
            revision: None,
            ..good.clone()
        },
        Mirrors {
            revision: text("2025-11-25"),
            ..good.clone()
        },
        Mirrors {
            method: None,
            ..good.clone()
        },
        Mirrors {
            method: text("TOOLS/CALL"),
            ..good.clone()
        },
        Mirrors {
            name: None,
            ..good.clone()
        },
        Mirrors {
            name: text("T"),
            ..good.clone()
        },
        Mirrors {
            name: text("=?base64?dA?="),
            ..good.clone()
        },
        Mirrors {
            params: Vec::new(),
            ..good.clone()
        },
        param("Region", "us"),
        param("Region", "=?base64?ZXU?="),
        param("N", "43"),
        param("N", "x"),
        param("Ok", "true"),
        Mirrors {
            params: [good.params.clone(), vec![("region".to_owned(), "eu".to_owned())]].concat(),
            ..good.clone()
        },
    ];
    for mirrors in bad {
        assert_eq!(check(&mirrors).expect_err(&format!("{mirrors:?}")).code, -32020, "{mirrors:?}");
    }
    assert_eq!(
        check(&Mirrors {
            name: text("=?base64?dA==?="),
            ..good.clone()
        }),
        Ok(())
    );
    assert_eq!(check(&param("Region", "=?base64?ZXU=?=")), Ok(()));
    // Without the tool's schema, its parameters can't be judged.
    assert_eq!(
        validate(
            &Mirrors {
                params: Vec::new(),
                ..good
            },
            "tools/call",
            Some(&params),
            None
        ),
        Ok(())
    );
}
