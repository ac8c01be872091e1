//! Tests of types: reading, printing, subtyping, joins and meets.

use super::{Type, conforms, join, meet, read_text};

fn ty(text: &str) -> Type {
    read_text(text).unwrap_or_else(|| panic!("`{text}` is a type"))
}

#[test]
fn types_read_and_print_alike() {
    for text in [
        "/number",
        "/tool/fs",
        ".List<.Pair</name, X>>",
        ".Map</string, /any>",
        ".Struct</a : /number, opt /b : .Singleton</x>>",
        ".Union</name, .Fun</number, /string>>",
        ".Union<>",
    ] {
        assert_eq!(ty(text).to_string(), text);
    }
    assert_eq!(
        ty("fn:Struct(/b, /number, fn:opt(/a, /name))"),
        ty(".Struct<opt /a : /name, /b : /number>")
    );
    assert_eq!(
        ty(".TaggedUnion</k, /a : .Struct<>>").to_string(),
        ".Union<.Struct</k : .Singleton</a>>>"
    );
    assert_eq!(ty(".Tuple</number, /name, /string>"), ty(".Pair</number, .Pair</name, /string>>"));
    for text in [
        ".List<>",
        ".Tuple</a, /b>",
        ".Lisp</a>",
        "3",
        ".Struct</a>",
        ".TaggedUnion</k, /a : /number>",
    ] {
        assert_eq!(read_text(text), None, "{text}");
    }
}

#[test]
fn subtyping_is_inclusion() {
    let cases = [
        ("/tool/fs", "/tool", true),
        ("/toolbox", "/tool", false),
        (".Singleton</tool/fs>", "/tool", true),
        ("/tool", "/name", true),
        ("/any", "/name", false),
        (".Union</number, /string>", ".Union</string, /number, /name>", true),
        (".List</tool>", ".List</name>", true),
        (".Struct</a : /number, /b : /name>", ".Struct</a : /number>", true),
        (".Struct</a : /number>", ".Struct</a : /number, opt /b : /name>", true),
        (".Struct<opt /a : /number>", ".Struct</a : /number>", false),
        (".Fun</tool, /name>", ".Fun</name, /tool>", true),
        ("/number", "/float64", false),
    ];
    for (left, right, expected) in cases {
        assert_eq!(conforms(&ty(left), &ty(right)), expected, "{left} <: {right}");
    }
}

#[test]
fn joins_and_meets_are_as_narrow_as_they_can_be() {
    assert_eq!(join(&ty("/tool"), &ty("/name")), ty("/name"));
    assert_eq!(join(&ty("/number"), &ty("/name")), ty(".Union</number, /name>"));
    assert_eq!(meet(&ty(".Union</number, /tool>"), &ty(".Union</name, /string>")), ty("/tool"));
    assert!(meet(&ty("/number"), &ty("/string")).is_never());
    assert_eq!(meet(&ty(".List</any>"), &ty(".List</number>")), ty(".List</number>"));
}
