//! Tests of ids: which are equal, and which values are not ids.

use std::collections::HashSet;

use jsonrpc::{Id, Limits, Raw, decode_message};

fn id(text: &str) -> Option<Id> {
    Id::parse(&Raw::parse(text.to_owned(), &Limits::default()).unwrap_or_else(|e| panic!("{text}: {e}")))
}

#[test]
fn ids_are_compared_decoded_and_echoed_raw() {
    let huge = "9".repeat(3000);
    let classes: [&[&str]; 13] = [
        &["1"],
        &["\"1\"", r#""\u0031""#],
        &["0", "-0"],
        &["-1"],
        &["18446744073709551615"],
        &["18446744073709551616"],
        &["-9223372036854775809"],
        &[&huge],
        &["\"\""],
        &["\"a\"", r#""\u0061""#],
        &["\"a\\\"\"", r#""\u0061\u0022""#],
        &[r#""\ud800""#, r#""\uD800""#],
        &[r#""\ud83d\ude00""#, "\"😀\""],
    ];
    for (i, class) in classes.iter().enumerate() {
        for text in *class {
            let one = id(text).expect(text);
            assert_eq!(one.raw().text(), *text, "echoed as it came");
            for (j, other) in classes.iter().enumerate() {
                for other in *other {
                    let other = id(other).expect(other);
                    assert_eq!(one == other, i == j, "{one} {other}");
                    assert_eq!(HashSet::from([one.clone()]).contains(&other), i == j, "{one} {other}");
                }
            }
        }
    }
}

#[test]
fn what_is_no_id() {
    for text in ["null", "true", "false", "1.0", "1.5", "1e0", "1E5", "-0.0", "{}", "[]", "[1]"] {
        assert_eq!(id(text), None, "{text}");
    }
}

#[test]
fn ids_of_ours() {
    assert_eq!((Id::number(7).raw().text(), Id::number(7).as_u64()), ("7", Some(7)));
    assert_eq!(Id::number(7), id("7").expect("an id"));
    assert_eq!((Id::string("7").raw().text(), Id::string("7").as_u64()), ("\"7\"", None));
    assert_eq!(Id::string("a\"\n"), id(r#""\u0061\"\u000a""#).expect("an id"));
    assert_eq!(format!("{} {:?}", Id::number(7), Id::string("x")), "7 \"x\"");
    assert_eq!(id("-0").expect("an id").as_u64(), Some(0));
}

#[test]
fn an_id_does_not_keep_a_large_frame_alive() {
    let text = format!(r#"{{"jsonrpc":"2.0","id":"abc","method":"m","params":["{}"]}}"#, "x".repeat(10_000));
    let message = decode_message(text, &Limits::default()).expect("a request");
    let id = message.id().expect("it has one");
    assert!(!message.bytes().as_ptr_range().contains(&id.raw().bytes().as_ptr()));
}
