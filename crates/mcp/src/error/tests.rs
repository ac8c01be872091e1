//! Errors between the eras, what is in them, and their statuses.

use jsonrpc::Limits;

use super::*;

fn raw(json: &str) -> Raw {
    Raw::parse(json.as_bytes().to_vec(), &Limits::default()).expect("JSON")
}

const LEGACY: Revision = Revision::V2025_11_25;
const MODERN: Revision = Revision::V2026_07_28;

/// From which revision, to which, the method, the error, and what becomes of it.
#[rustfmt::skip]
const CROSSINGS: [(Revision, Revision, &str, &str, &str); 15] = [
    // modern to legacy
    (MODERN, LEGACY, "resources/read", r#"{"code":-32602,"message":"m","data":{"uri":"a:b"}}"#, r#"{"code":-32002,"message":"m","data":{"uri":"a:b"}}"#),
    (MODERN, LEGACY, "resources/read", r#"{"code":-32602,"message":"m"}"#, r#"{"code":-32602,"message":"m"}"#),
    (MODERN, LEGACY, "tools/call", r#"{"code":-32602,"message":"m","data":{"uri":"a:b"}}"#, r#"{"code":-32602,"message":"m","data":{"uri":"a:b"}}"#),
    (MODERN, LEGACY, "tools/call", r#"{"code":-32021,"message":"m","data":{"requiredCapabilities":{}}}"#, r#"{"code":-32600,"message":"m","data":{"requiredCapabilities":{}}}"#),
    (MODERN, LEGACY, "tools/call", r#"{"code":-32022,"message":"m"}"#, r#"{"code":-32603,"message":"m"}"#),
    (MODERN, LEGACY, "tools/call", r#"{"x":1.0,"code":-32000,"message":"m"}"#, r#"{"x":1.0,"code":-32000,"message":"m"}"#),
    // legacy to modern
    (LEGACY, MODERN, "resources/read", r#"{"code":-32002,"message":"m","data":{"uri":"a:b"},"y":1.0}"#, r#"{"code":-32602,"message":"m","data":{"uri":"a:b"},"y":1.0}"#),
    (LEGACY, MODERN, "tools/call", r#"{"code":-32042,"message":"m","data":{"elicitations":[]}}"#, r#"{"code":-32021,"message":"m","data":{"requiredCapabilities":{"elicitation":{"url":{}}}}}"#),
    (LEGACY, MODERN, "tools/call", r#"{"code":-32022,"message":"m","data":1}"#, r#"{"code":-32603,"message":"m","data":1}"#),
    (LEGACY, MODERN, "tools/call", r#"{"code":-32050,"message":"m"}"#, r#"{"code":-32603,"message":"m"}"#),
    (LEGACY, MODERN, "tools/call", r#"{"code":-32001,"message":"m"}"#, r#"{"code":-32001,"message":"m"}"#),
    (LEGACY, MODERN, "tools/call", r#"{"code":1001, "message":"m"}"#, r#"{"code":1001, "message":"m"}"#),
    // the same era, and what is no error
    (MODERN, MODERN, "tools/call", r#"{"code":-32021,"message":"m"}"#, r#"{"code":-32021,"message":"m"}"#),
    (LEGACY, LEGACY, "tools/call", r#"{"code":-32042,"message":"m"}"#, r#"{"code":-32042,"message":"m"}"#),
    (MODERN, LEGACY, "tools/call", r#"{"message":"m"}"#, r#"{"message":"m"}"#),
];

#[test]
fn errors_cross_the_eras_and_keep_what_they_say() {
    for (from, to, method, error, expected) in CROSSINGS {
        assert_eq!(
            relay(&raw(error), method, from, to).text(),
            expected,
            "{from} {to} {method} {error}"
        );
    }
}

#[test]
fn modern_errors_carry_their_data() {
    let version = unsupported_version("v999", &[Revision::V2026_07_28, Revision::V2025_11_25]);
    assert_eq!(
        version.data.as_ref().expect("data").text(),
        r#"{"supported":["2026-07-28","2025-11-25"],"requested":"v999"}"#
    );
    assert_eq!(supported_versions(&version), ["2026-07-28", "2025-11-25"]);
    assert!(is_modern(&version) && !is_modern(&ErrorObject::method_not_found("x")));
    let missing = missing_client_capability(&raw(r#"{"sampling":{}}"#));
    assert_eq!(
        missing.data.as_ref().expect("data").text(),
        r#"{"requiredCapabilities":{"sampling":{}}}"#
    );
    assert_eq!(supported_versions(&missing), [""; 0]);
    assert_eq!(resource_not_found("a:\"", Revision::V2025_06_18).code, -32002);
    let modern = resource_not_found("a:\"", Revision::LATEST);
    assert_eq!((modern.code, modern.data.expect("data").text()), (-32602, r#"{"uri":"a:\""}"#));
}

#[test]
fn statuses() {
    let cases = [
        (HEADER_MISMATCH, 400, 400),
        (MISSING_CLIENT_CAPABILITY, 400, 400),
        (UNSUPPORTED_VERSION, 400, 400),
        (code::METHOD_NOT_FOUND, 404, 404),
        (code::INVALID_PARAMS, 400, 200),
        (code::INVALID_REQUEST, 400, 200),
        (code::PARSE_ERROR, 400, 200),
        (code::INTERNAL_ERROR, 200, 200),
        (1001, 200, 200),
    ];
    for (code, envelope, answer) in cases {
        let error = ErrorObject::new(code, "");
        assert_eq!(
            (http_status(&error, Stage::Envelope), http_status(&error, Stage::Answer)),
            (envelope, answer),
            "{code}"
        );
    }
}
