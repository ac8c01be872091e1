//! What counts as code and what does not.

use super::{Code, comments};

#[test]
fn comments_and_literals_are_not_code() {
    let source = r####"
// unsafe
/* unsafe /* unsafe */ unsafe */
let a = "unsafe \" unsafe";
let b = r#"unsafe " unsafe"#;
let c = ('"', '\'', 'ü', 'x');
fn f<'a>(x: &'a str) -> &'a str { unsafe { x } }
"####;
    assert_eq!(Code::of(source).lines_with("unsafe"), [7]);
}

#[test]
fn a_pattern_stands_as_words_of_its_own() {
    let code = Code::of("unsafe_code();\nmy::Instant::now();\nInstant::nowhere();\nmyhttp::x();\nhttp::x();\n");
    assert_eq!(code.lines_with("unsafe"), [0_usize; 0]);
    assert_eq!(code.lines_with("Instant::now"), [2]);
    assert_eq!(code.lines_with("http::"), [5]);
}

#[test]
fn tests_inside_a_file_can_be_left_out() {
    let code = Code::of("use a;\n#[cfg(test)]\nmod tests {\n    fn f() { dbg!(1); }\n}\nfn g() { dbg!(2); }\n#[cfg(test)]\nmod more;\n");
    assert_eq!(code.lines_with("dbg!"), [4, 6]);
    assert_eq!(code.without_tests().lines_with("dbg!"), [6]);
}

#[test]
fn attributes_are_found_whole() {
    let code = Code::of("#![forbid(unsafe_code)]\n#[expect(\n    clippy::x,\n    reason = \"because ]\"\n)]\nfn f() { g(&[1]); }\n");
    let found = code.attributes();
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 2]);
    assert!(found[1].1.contains("reason ="));
}

#[test]
fn comments_have_their_lines_and_literals_are_none() {
    let source = "//! a\nlet url = \"https://x\"; // b\n/* c\nd */ let y = r#\"// e\"#; /// f\n";
    let found = [(1, "//! a"), (2, "// b"), (3, "/* c\nd */"), (4, "/// f")];
    assert_eq!(comments(source), found);
}
