//! Objects and arrays that are written around values.

use jsonrpc::{Limits, MAX_DEPTH, ObjectBuilder, Raw, array};

fn raw(text: &str) -> Raw {
    Raw::parse(text.to_owned(), &Limits::OWN).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// An array of so many levels.
fn nested(depth: usize) -> Raw {
    raw(&("[".repeat(depth) + &"]".repeat(depth)))
}

#[test]
fn members_stand_in_the_order_in_which_they_were_added() {
    let built = ObjectBuilder::new()
        .text("b", "a\"\n")
        .raw("a", &raw("[ 1.0 ]"))
        .uint("n", u64::MAX)
        .flag("f", false)
        .texts("t", ["x", "\\"])
        .array("v", [raw("1"), raw("{}")])
        .object("o", |o| o.object("inner", |inner| inner).flag("last", true))
        .members([("m", raw("null"))])
        .finish();
    assert_eq!(
        built.text(),
        r#"{"b":"a\"\n","a":[ 1.0 ],"n":18446744073709551615,"f":false,"t":["x","\\"],"v":[1,{}],"o":{"inner":{},"last":true},"m":null}"#
    );
}

#[test]
fn what_is_not_there_is_left_out_or_null() {
    let built = ObjectBuilder::new()
        .maybe("a", None)
        .maybe_text("b", None)
        .text_or_null("c", None)
        .maybe("d", Some(&Raw::null()))
        .maybe_text("e", Some(""))
        .text_or_null("f", Some("x"));
    assert_eq!(built.finish().text(), r#"{"c":null,"d":null,"e":"","f":"x"}"#);
    assert_eq!(ObjectBuilder::default().finish(), Raw::object_empty());
    assert_eq!(ObjectBuilder::with_capacity(0).bytes(), b"{}");
}

#[test]
fn keys_are_escaped() {
    assert_eq!(ObjectBuilder::new().flag("\"\u{1}", true).finish().text(), r#"{"\"\u0001":true}"#);
}

#[test]
fn an_array_holds_its_values() {
    assert_eq!(array([raw("1"), raw("\"x\"")]).text(), r#"[1,"x"]"#);
    assert_eq!(array(Vec::<Raw>::new()).text(), "[]");
}

#[test]
fn nothing_is_built_that_nests_deeper_than_can_be_walked() {
    let (most, fits) = (nested(MAX_DEPTH), nested(MAX_DEPTH - 1));
    assert_eq!(ObjectBuilder::new().raw("a", &most).finish(), Raw::object_empty());
    assert_eq!(ObjectBuilder::new().raw("a", &fits).finish().get("a"), Some(fits.clone()));
    assert_eq!(array([&most]), Raw::null());
    assert_eq!(array([&fits]).items(), [fits]);
}
