//! Tests of values read in place.

use jsonrpc::{Limits, Raw, RawKind};
use serde_json::json;

fn raw(text: &str) -> Raw {
    Raw::parse(text.to_owned(), &Limits::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn a_value_knows_its_kind() {
    use RawKind::{Array, Bool, Null, Number, Object, String};
    for (text, kind) in [
        ("{}", Object),
        ("[]", Array),
        ("\"\"", String),
        ("-1", Number),
        ("0", Number),
        ("true", Bool),
        ("false", Bool),
        ("null", Null),
    ] {
        assert_eq!(raw(text).kind(), kind, "{text}");
    }
}

#[test]
fn our_own_values_are_written_as_json() {
    assert_eq!(Raw::null().text(), "null");
    assert_eq!(Raw::object_empty().text(), "{}");
    assert_eq!(Raw::boolean(true).text(), "true");
    assert_eq!(Raw::uint(u64::MAX).text(), "18446744073709551615");
    assert_eq!(Raw::string("a\"\\\n\u{8}\u{1}/é𝄞").text(), r#""a\"\\\n\b\u0001/é𝄞""#);
    assert_eq!(Raw::of(&json!({"b": 1, "a": [true]})).text(), r#"{"b":1,"a":[true]}"#);
    assert_eq!(
        Raw::of(&std::collections::BTreeMap::from([([1], 2)])),
        Raw::null(),
        "no JSON for this map"
    );
}

#[test]
fn a_string_is_borrowed_unless_it_has_escapes() {
    use std::borrow::Cow;
    assert!(matches!(raw("\"plain é\"").as_str(), Some(Cow::Borrowed("plain é"))));
    assert_eq!(
        raw(r#""\u00e9\ud83d\ude00\/\t\b\f\"""#).as_str().as_deref(),
        Some("é😀/\t\u{8}\u{c}\"")
    );
    for text in [r#""\ud800""#, r#""\udc00\ud800""#, r#""\ud800\u0041""#, "1", "null", "[\"\"]"] {
        assert_eq!(raw(text).as_str(), None, "{text}");
    }
}

#[test]
fn a_number_is_read_only_where_it_fits() {
    type Row<'a> = (&'a str, Option<u64>, Option<i64>, Option<f64>);
    let cases: [Row<'_>; 12] = [
        ("0", Some(0), Some(0), Some(0.0)),
        ("-0", Some(0), Some(0), Some(-0.0)),
        ("-1", None, Some(-1), Some(-1.0)),
        ("1.0", None, None, Some(1.0)),
        ("1e2", None, None, Some(100.0)),
        ("18446744073709551615", Some(u64::MAX), None, Some(18_446_744_073_709_551_615.0)),
        ("18446744073709551616", None, None, Some(18_446_744_073_709_551_616.0)),
        ("-9223372036854775808", None, Some(i64::MIN), Some(-9_223_372_036_854_775_808.0)),
        ("1e1000", None, None, None),
        ("1e-1000", None, None, Some(0.0)),
        ("\"1\"", None, None, None),
        ("true", None, None, None),
    ];
    for (text, uint, int, double) in cases {
        let value = raw(text);
        assert_eq!((value.as_u64(), value.as_i64(), value.as_f64()), (uint, int, double), "{text}");
    }
    assert_eq!(
        (raw("true").as_bool(), raw("false").as_bool(), raw("1").as_bool()),
        (Some(true), Some(false), None)
    );
}

#[test]
fn members_are_found_by_what_their_keys_mean() {
    let value = raw(r#"{"a" : 1 , "\u0062":{"c":[ 1,2 ]},"a":3,"":"empty","\ud800":4,"d\n":null}"#);
    assert_eq!(value.get("a"), Some(raw("1")), "the first one counts");
    assert_eq!(value.get("b"), Some(raw(r#"{"c":[ 1,2 ]}"#)));
    assert_eq!(value.at(&["b", "c"]), Some(raw("[ 1,2 ]")));
    assert_eq!(value.at(&[]), Some(value.clone()));
    assert_eq!(value.get(""), Some(raw("\"empty\"")));
    assert_eq!(value.get("d\n"), Some(Raw::null()));
    for missing in ["x", "c", "\u{fffd}", "d\\n", "\\u0062"] {
        assert_eq!(value.get(missing), None, "{missing}");
    }
    assert_eq!((raw("[1]").get("0"), raw("1").get(""), raw("null").at(&["a"])), (None, None, None));
    assert_eq!(value.at(&["b", "c", "d"]), None);
}

#[test]
fn an_object_has_each_key_once() {
    let object = raw(r#"{ "b":1,"a\n": "x" ,"\u00e9":[]}"#).object().expect("three keys");
    let members: Vec<_> = object.iter().map(|(key, value)| (key, value.text())).collect();
    assert_eq!(members, [("b", "1"), ("a\n", "\"x\""), ("é", "[]")]);
    assert_eq!(
        (object.len(), object.is_empty(), object.get("é"), object.get("x")),
        (3, false, Some(&raw("[]")), None)
    );
    assert!(raw("{}").object().expect("none").is_empty());
    for (text, why) in [
        (r#"{"a":1,"\u0061":2}"#, "the member `a` twice at byte 8"),
        (r#"{"\/":1,"/":2}"#, "the member `/` twice at byte 9"),
        (r#"{"a":1,"\ud800":2}"#, "a key that is not Unicode text at byte 8"),
        ("[]", "not an object at byte 0"),
        ("null", "not an object at byte 0"),
    ] {
        assert_eq!(raw(text).object().expect_err(text).to_string(), why);
    }
    // Duplicate keys in a nested object are found when that object is read.
    assert!(raw(r#"{"a":{"b":1,"b":2}}"#).object().is_ok());
}

#[test]
fn many_members_are_compared_too() {
    for count in [12, 13, 14, 100] {
        let members: Vec<String> = (0..count).map(|i| format!("\"k{i}\":{i}")).collect();
        assert_eq!(
            raw(&format!("{{{}}}", members.join(","))).object().expect("all differ").len(),
            count
        );
        for twice in [0, count / 2, count - 1] {
            let text = format!("{{{},\"\\u006b{twice}\":0,\"x\":1}}", members.join(","));
            let e = raw(&text).object().expect_err("one is there twice");
            assert_eq!(e.at(), text.rfind("\\u").expect("it is there"), "{e}");
        }
    }
}

#[test]
fn elements_come_in_order() {
    let array = raw(r#"[ 1 , [2,3],{"a":[4]} ,"]" ]"#);
    let items: Vec<_> = array.items();
    assert_eq!(
        items.iter().map(Raw::text).collect::<Vec<_>>(),
        ["1", "[2,3]", r#"{"a":[4]}"#, "\"]\""]
    );
    assert_eq!(array.elements().nth(1), Some(raw("[2,3]")));
    for none in ["[]", "[ ]", "{\"a\":1}", "\"[1]\"", "1"] {
        assert_eq!(raw(none).items(), [], "{none}");
    }
}

#[test]
fn types_of_ours_are_read_with_a_reason_when_they_do_not_fit() {
    #[derive(serde::Deserialize, Debug, PartialEq)]
    struct Named {
        name: String,
        extra: Raw,
    }
    let named: Named = raw(r#"{"name":"n","extra":{"x": 1.0},"unknown":[]}"#).to().expect("it fits");
    assert_eq!(
        named,
        Named {
            name: "n".into(),
            extra: raw(r#"{"x": 1.0}"#)
        }
    );
    let e = raw("{\n\"name\":\n7}").to::<Named>().expect_err("a number is no name");
    assert_eq!(
        e.to_string(),
        "another type than expected: invalid type: integer `7`, expected a string at byte 10"
    );
    assert_eq!(serde_json::to_string(&json!({"inner": "x"})).ok(), Some(r#"{"inner":"x"}"#.into()));
    #[derive(serde::Serialize)]
    struct Outer<'a> {
        inner: &'a Raw,
    }
    assert_eq!(
        Raw::of(&Outer {
            inner: &raw("[ 1.0, \"\\ud800\" ]")
        })
        .text(),
        "{\"inner\":[ 1.0, \"\\ud800\" ]}"
    );
}

#[test]
fn any_value_can_be_shown() {
    let value = raw(r#"{"a":1,"\u0061":2,"n":[123456789012345678901234567890,1e1000,-1,0.5,18446744073709551615],"s":"x\ud800y\udfff"}"#);
    let shown = json!({"a": 1, "n": [123456789012345678901234567890_f64, "1e1000", -1, 0.5, u64::MAX], "s": "x\u{fffd}y\u{fffd}"});
    assert_eq!(value.to_value(), shown);
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let limits = Limits {
        max_depth: 500,
        ..Limits::default()
    };
    let mut value = Raw::parse(deep, &limits).expect("deep enough").to_value();
    for _ in 1..500 {
        value = value[0].take();
    }
    assert_eq!(value, json!([]));
}

#[test]
fn equal_values_have_one_canonical_spelling() {
    for (text, canonical) in [
        (r#" { "b" : 1.0 , "a" : [ 1e2 , "\u0041\/" ] } "#, r#"{"a":[1e2,"A/"],"b":1.0}"#),
        (r#"{"\u0062":{"z":{},"y":[]},"a":null}"#, r#"{"a":null,"b":{"y":[],"z":{}}}"#),
        (r#"{"a":2,"b":0,"a":1}"#, r#"{"a":2,"a":1,"b":0}"#),
        (r#""\uD800\u0000\uDFFF\ud83d\uDE00\u001f""#, "\"\\ud800\\u0000\\udfff😀\\u001f\""),
        ("{ }", "{}"),
        ("[ ]", "[]"),
        ("[[1 ,{}],[ ]]", "[[1,{}],[]]"),
        ("-0", "-0"),
        // By bytes of the decoded text: upper case before lower case, ASCII before the rest.
        (r#"{"é":1,"a":2,"B":3,"":4,"aa":5}"#, r#"{"":4,"B":3,"a":2,"aa":5,"é":1}"#),
    ] {
        let first = raw(text).canonical();
        assert_eq!(String::from_utf8_lossy(&first), canonical);
        assert_eq!(raw(canonical).canonical(), first, "once is enough");
    }
}

#[test]
fn debug_output_is_short() {
    assert_eq!(format!("{:?}", raw("[ 1 ]")), "[ 1 ]");
    let long = Raw::string(&"é".repeat(500));
    let shown = format!("{long:?}");
    assert!(shown.ends_with("é… (1002 bytes)") && shown.len() < 150, "{shown}");
}

#[test]
fn a_compact_copy_lets_the_frame_go() {
    let frame = raw(&format!("[{},7]", Raw::string(&"x".repeat(1000)).text()));
    let seven = frame.items().remove(1);
    let range = frame.bytes().as_ptr_range();
    assert!(range.contains(&seven.bytes().as_ptr()), "a part shares the frame");
    assert_eq!(seven.compact(), seven);
    assert!(!range.contains(&seven.compact().bytes().as_ptr()));
}
