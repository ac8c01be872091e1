//! Tests of edits by path: which bytes stay, and which are written.

use jsonrpc::{Limits, Raw};

fn raw(text: &str) -> Raw {
    Raw::parse(text.to_owned(), &Limits::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Applies edits to `text`: `+path=value` sets, `-path` removes; a path is keys with dots.
fn edit(text: &str, edits: &[&str]) -> String {
    let mut editor = raw(text).edit();
    for edit in edits {
        let (path, value) = edit[1..].split_once('=').unwrap_or((&edit[1..], ""));
        let path: Vec<&str> = path.split('.').filter(|key| !key.is_empty()).collect();
        editor = if edit.starts_with('+') {
            editor.set(&path, &raw(value))
        } else {
            editor.remove(&path)
        };
    }
    let edited = editor.finish();
    assert_eq!(raw(edited.text()), edited, "the result is one JSON value");
    edited.text().to_owned()
}

#[test]
fn edits_touch_nothing_else() {
    let cases: [(&str, &[&str], &str); 38] = [
        ("{}", &[], "{}"),
        ("{ }", &["-a"], "{ }"),
        ("{}", &["+a=1"], r#"{"a":1}"#),
        ("{ }", &["+a=1"], r#"{"a":1 }"#),
        ("{ \"b\" : 1.0 }", &["+a=1"], "{ \"b\" : 1.0,\"a\":1 }"),
        ("{ \"a\" : 1.0 , \"b\" : 2 }", &["+a=[ 0 ]"], "{ \"a\" : [ 0 ] , \"b\" : 2 }"),
        ("{\"\\u0061\":1}", &["+a=2"], "{\"\\u0061\":2}"),
        // One comma goes with a member: the one behind it, or the one before the last.
        ("{\"a\":1,\"b\":2,\"c\":3}", &["-a"], "{\"b\":2,\"c\":3}"),
        ("{\"a\":1,\"b\":2,\"c\":3}", &["-b"], "{\"a\":1,\"c\":3}"),
        ("{\"a\":1,\"b\":2,\"c\":3}", &["-c"], "{\"a\":1,\"b\":2}"),
        ("{\"a\":1,\"b\":2,\"c\":3}", &["-a", "-b"], "{\"c\":3}"),
        ("{\"a\":1,\"b\":2,\"c\":3}", &["-b", "-c"], "{\"a\":1}"),
        ("{\"a\":1,\"b\":2,\"c\":3}", &["-a", "-c"], "{\"b\":2}"),
        ("{\"a\":1,\"b\":2,\"c\":3}", &["-a", "-b", "-c"], "{}"),
        ("{\"a\":1,\"b\":2,\"c\":3}", &["-a", "-b", "-c", "+d=4"], "{\"d\":4}"),
        (
            "{\"a\":1,\"b\":2,\"c\":3}",
            &["-c", "+d=4", "+e=5"],
            "{\"a\":1,\"b\":2,\"d\":4,\"e\":5}",
        ),
        (
            "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}",
            &["-b"],
            "{\n  \"a\": 1,\n  \"c\": 3\n}",
        ),
        ("{\n  \"a\": 1,\n  \"b\": 2\n}", &["-b"], "{\n  \"a\": 1\n}"),
        ("{\n  \"a\": 1,\n  \"b\": 2\n}", &["-b", "+c=3"], "{\n  \"a\": 1,\"c\":3\n}"),
        (
            "{ \"a\" : 1 , \"b\" : 2 , \"c\" : 3 , \"d\" : 4 }",
            &["-b", "-c", "+d=5"],
            "{ \"a\" : 1 , \"d\" : 5 }",
        ),
        // Paths.
        (r#"{"a":{"b":{"c":1}, "d":2}}"#, &["+a.b.c=9", "-a.d"], r#"{"a":{"b":{"c":9}}}"#),
        (
            r#"{"x":0}"#,
            &["+a.b.c=1", "+a.b.d=2", "+a.e=3"],
            r#"{"x":0,"a":{"b":{"c":1,"d":2},"e":3}}"#,
        ),
        (r#"{"a":[1]}"#, &["+a.b=1"], r#"{"a":{"b":1}}"#),
        (r#"{"a":[1]}"#, &["-a.b", "-a.0", "-x.y.z"], r#"{"a":[1]}"#),
        (r#"{"_meta":{"x":1}}"#, &["-_meta.x"], r#"{"_meta":{}}"#),
        // One after another.
        ("{}", &["+a=1", "+a=2"], r#"{"a":2}"#),
        ("{}", &["+a=1", "-a"], "{}"),
        (r#"{"a":1}"#, &["-a", "+a=2"], r#"{"a":2}"#),
        ("{}", &["+a={\"x\": 1}", "+a.b=2", "-a.x"], r#"{"a":{"b":2}}"#),
        ("{}", &["+a=5", "+a.b=2"], r#"{"a":{"b":2}}"#),
        ("{}", &["+a=5", "-a.b"], r#"{"a":5}"#),
        (r#"{"a":{"x":1}}"#, &["-a", "+a.b=2"], r#"{"a":{"b":2}}"#),
        (r#"{"a":{"x":1}}"#, &["+a.x=2", "-a"], "{}"),
        ("{}", &["+a.b=1", "-a.b"], r#"{"a":{}}"#),
        // Where a key occurs twice, the occurrence that was not edited must not stay readable.
        (r#"{"a":1,"b":2,"a":3}"#, &["+a=9"], r#"{"a":9,"b":2}"#),
        (r#"{"a":1,"b":2,"\u0061":3}"#, &["-a"], r#"{"b":2}"#),
        // The whole, and what is no object.
        ("[1,2]", &["+a=1"], r#"{"a":1}"#),
        (r#"{"a":1}"#, &["+=[]"], "[]"),
    ];
    for (text, edits, expected) in cases {
        assert_eq!(edit(text, edits), expected, "{text} {edits:?}");
    }
}

#[test]
fn an_editor_without_edits_copies_nothing() {
    let value = raw(r#"{ "a" : 1 }"#);
    assert_eq!(value.edit().finish().bytes().as_ptr(), value.bytes().as_ptr());
    assert_eq!(raw("7").edit().finish().text(), "{}", "edits are to an object");
    assert_eq!(raw("{}").edit().remove(&[]).finish().text(), "{}");
}

#[test]
fn keys_are_written_escaped() {
    let edited = raw("{}").edit().set(&["a\"\n", "é"], &Raw::null()).finish();
    assert_eq!(edited.text(), r#"{"a\"\n":{"é":null}}"#);
}
