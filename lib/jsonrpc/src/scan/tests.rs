//! Tests of the scanner alone: what is JSON and what is not, and at which byte.

use crate::{DecodeError, Limits, MAX_DEPTH, Raw};

fn parse(bytes: &[u8]) -> Result<Raw, DecodeError> {
    Raw::parse(bytes.to_vec(), &Limits::default())
}

#[test]
fn json_is_taken_as_it_is() {
    let valid = [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1.0",
        "-0.5e-10",
        "1E+2",
        "1e1000",
        "123456789012345678901234567890",
        r#""""#,
        r#""\u0000\ud800\uDFFF\"\\\/\b\f\n\r\t""#,
        "\"\u{7f}\u{80}\u{2028}𝄞\"",
        "[]",
        "{}",
        "[ ]",
        "{\n}",
        r#"{"a":1,"a":2,"":[{}]}"#,
        "[[],{},\"\",0,null]",
        "\"12345678\"",
        "\"1234567\\\"8\"",
    ];
    for text in valid {
        assert_eq!(parse(text.as_bytes()).expect(text).text(), text);
        let spaced = format!(" \t\r\n{text}\n");
        assert_eq!(parse(spaced.as_bytes()).expect(text).text(), text, "outer whitespace goes");
    }
}

#[test]
fn what_is_not_json_is_refused_at_its_byte() {
    let invalid: [(&[u8], &str); 52] = [
        (b"", "the JSON ends too early at byte 0"),
        (b"  ", "the JSON ends too early at byte 2"),
        (b"nul", "the JSON ends too early at byte 3"),
        (b"nulL", "expected `true`, `false` or `null` at byte 3"),
        (b"nullx", "something after the end of the JSON value at byte 4"),
        (b"True", "expected a JSON value at byte 0"),
        (b"NaN", "expected a JSON value at byte 0"),
        (b"Infinity", "expected a JSON value at byte 0"),
        (b"-Infinity", "a malformed number at byte 1"),
        (b"-", "the JSON ends too early at byte 1"),
        (b"+1", "expected a JSON value at byte 0"),
        (b"01", "a malformed number at byte 1"),
        (b"-012", "a malformed number at byte 2"),
        (b"1.", "the JSON ends too early at byte 2"),
        (b"[1.]", "a malformed number at byte 3"),
        (b".5", "expected a JSON value at byte 0"),
        (b"1e", "the JSON ends too early at byte 2"),
        (b"[1e+]", "a malformed number at byte 4"),
        (b"1.e1", "a malformed number at byte 2"),
        (b"0x10", "something after the end of the JSON value at byte 1"),
        (b"1_000", "something after the end of the JSON value at byte 1"),
        (b"'a'", "expected a JSON value at byte 0"),
        (b"\"", "the JSON ends too early at byte 1"),
        (b"\"a\\\"", "the JSON ends too early at byte 4"),
        (b"\"\\x\"", "an unknown escape inside a string at byte 1"),
        (b"\"\\u12g4\"", "an unknown escape inside a string at byte 5"),
        (b"\"\\u123\"", "an unknown escape inside a string at byte 6"),
        (b"\"\\u123", "the JSON ends too early at byte 6"),
        (b"\"\\", "the JSON ends too early at byte 2"),
        (b"\"\\U0041\"", "an unknown escape inside a string at byte 1"),
        (b"\"a\nb\"", "a control character inside a string at byte 2"),
        (b"\"\x00\"", "a control character inside a string at byte 1"),
        (b"\"\x1f\"", "a control character inside a string at byte 1"),
        (b"[", "the JSON ends too early at byte 1"),
        (b"[,]", "expected a JSON value at byte 1"),
        (b"[1,]", "expected a JSON value at byte 3"),
        (b"[1 2]", "expected `,` or `]` at byte 3"),
        (b"[1}", "expected `,` or `]` at byte 2"),
        (b"]", "expected a JSON value at byte 0"),
        (b"{", "the JSON ends too early at byte 1"),
        (b"{\"a\":1]", "expected `,` or `}` at byte 6"),
        (b"{\"a\" 1}", "expected `:` at byte 5"),
        (b"{\"a\":}", "expected a JSON value at byte 5"),
        (b"{\"a\":1,}", "expected a key in quotes at byte 7"),
        (b"{a:1}", "expected a key in quotes at byte 1"),
        (b"{1:1}", "expected a key in quotes at byte 1"),
        (b"[1]/**/", "something after the end of the JSON value at byte 3"),
        (b"[1] [2]", "something after the end of the JSON value at byte 4"),
        (b"\x0b1", "expected a JSON value at byte 0"),
        (b"1\xc2\xa0", "something after the end of the JSON value at byte 1"),
        (b"\xef\xbb\xbf1", "a byte order mark, which JSON-RPC does not allow at byte 0"),
        (b"[1,\xef\xbb\xbf]", "expected a JSON value at byte 3"),
    ];
    for (bytes, why) in invalid {
        let text = String::from_utf8_lossy(bytes);
        let e = parse(bytes).expect_err(&text);
        assert_eq!((e.to_string().as_str(), e.code()), (why, crate::code::PARSE_ERROR), "{text}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_refused_wherever_they_stand() {
    // A bare continuation, an overlong slash, a surrogate, a code point too far, a cut sequence.
    for bad in [&b"\x80"[..], b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"] {
        for (before, after) in [("\"", "\""), ("[\"long enough to leave the ASCII path ", " and back\"]"), ("", "1")] {
            let bytes = [before.as_bytes(), bad, after.as_bytes()].concat();
            let e = parse(&bytes).expect_err("not UTF-8");
            assert_eq!(
                e.to_string(),
                format!("bytes that are not UTF-8 at byte {}", before.len()),
                "{bad:x?}"
            );
        }
    }
}

#[test]
fn a_stop_is_found_at_every_place_of_a_string() {
    // Word, block and tail paths: each stop at each offset of strings of each length.
    for len in 0..150 {
        for at in 0..len {
            let mut bytes = vec![b'x'; len];
            bytes[at] = 0x1f;
            let text = [b"\"", &bytes[..], b"\""].concat();
            assert_eq!(parse(&text).expect_err("a control character").at(), at + 1);
            bytes[at] = b'"';
            let text = [b"\"", &bytes[..], b"\""].concat();
            assert_eq!(parse(&text).expect_err("ends early").at(), at + 2);
            bytes[at] = b'\\';
            bytes.insert(at + 1, b'\\');
            let text = [b"\"", &bytes[..], b"\""].concat();
            assert_eq!(parse(&text).expect("an escape").len(), len + 3);
        }
        // Bytes near the stops, and all above ASCII, are no stops.
        let plain = " !#[]^\u{7f}é快𝄞".repeat(len);
        let text = format!("\"{plain}\"");
        assert_eq!(parse(text.as_bytes()).expect("plain").len(), text.len());
    }
}

#[test]
fn every_cut_of_a_value_is_refused() {
    let corpus = [
        r#"{"jsonrpc":"2.0","id":"\u00e9","method":"tools/call","params":{"a":[1,-2.5e+10,true,null,{"b":"快\n"}],"c":{}}}"#,
        r#"[[[{"a":[{}]}]],"\ud83d\ude00",false]"#,
        r#""a long string that fills more than one block of sixty-four bytes, and then some more \\ to be sure""#,
    ];
    for text in corpus {
        for cut in 0..text.len() {
            let e = parse(&text.as_bytes()[..cut]).expect_err("a part is no value");
            let expected = if text.is_char_boundary(cut) {
                "the JSON ends too early"
            } else {
                "bytes that are not UTF-8"
            };
            assert!(e.to_string().starts_with(expected), "{cut}: {e}");
        }
    }
}

#[test]
fn depth_is_counted_without_recursion() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let mixed = |depth: usize| format!("{}{}", "[{\"a\":".repeat(depth / 2) + "[", "]".to_owned() + &"}]".repeat(depth / 2));
    for max_depth in [1, 2, 63, 64, 65, 127, 128, 129, MAX_DEPTH] {
        let limits = Limits {
            max_depth,
            ..Limits::default()
        };
        for text in [nested(max_depth), objects(max_depth), mixed((max_depth - 1) & !1)] {
            assert_eq!(Raw::parse(text.clone(), &limits).expect("deep enough").text(), text);
        }
        for text in [
            nested(max_depth + 1),
            objects(max_depth + 1),
            nested(1_000_000),
            "[".repeat(1_000_000),
        ] {
            let e = Raw::parse(text, &limits).expect_err("too deep");
            assert!(
                e.to_string()
                    .starts_with(&format!("nested deeper than the {max_depth} levels allowed")),
                "{e}"
            );
        }
    }
    let unlimited = Limits {
        max_depth: usize::MAX,
        ..Limits::default()
    };
    assert!(
        Raw::parse(nested(MAX_DEPTH + 1), &unlimited).is_err(),
        "no configuration goes deeper"
    );
    let wide = format!("[{}[]]", "[],{},[[]],".repeat(1000));
    assert!(
        Raw::parse(
            wide,
            &Limits {
                max_depth: 3,
                ..Limits::default()
            }
        )
        .is_ok(),
        "closed levels do not count"
    );
}

#[test]
fn a_closing_bracket_fits_its_opening_one_at_every_depth() {
    // The bit stack spills every 64 levels; a wrong bracket must be seen on both sides of the seam.
    for depth in [1, 2, 63, 64, 65, 66, 127, 128, 129, 130, 200] {
        let opening: String = (0..depth).map(|i| if i % 3 == 0 { "{\"k\":" } else { "[" }).collect();
        let closing: String = (0..depth).rev().map(|i| if i % 3 == 0 { '}' } else { ']' }).collect();
        let limits = Limits {
            max_depth: 200,
            ..Limits::default()
        };
        assert!(Raw::parse(format!("{opening}1{closing}"), &limits).is_ok());
        for wrong in 0..depth {
            let mut closing = closing.clone().into_bytes();
            closing[wrong] = if closing[wrong] == b']' { b'}' } else { b']' };
            let text = [opening.as_bytes(), b"1", &closing].concat();
            assert_eq!(Raw::parse(text, &limits).expect_err("does not fit").at(), opening.len() + 1 + wrong);
        }
    }
}

#[test]
fn size_is_checked_first() {
    let limits = Limits {
        max_bytes: 4,
        ..Limits::default()
    };
    assert!(Raw::parse("1234", &limits).is_ok());
    let e = Raw::parse("12345", &limits).expect_err("too large");
    assert_eq!(e.to_string(), "more than the 4 bytes allowed at byte 4");
}

/// Returns the end of a string whose inside begins at 0, read byte by byte.
fn end_of_string(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => match *bytes.get(at + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => at += 2,
                b'u' if bytes.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit) => at += 6,
                _ => return None,
            },
            0x20.. => at += 1,
            _ => return None,
        }
    }
}

#[test]
fn escapes_are_read_in_blocks_as_they_are_byte_by_byte() {
    const PIECES: [&str; 16] = [
        "\\\\",
        "\\",
        "\\\"",
        "\\n",
        "\\t",
        "\\b",
        "\\f",
        "\\r",
        "\\/",
        "\\u00e9",
        "\\uD83D",
        "plain text",
        "é",
        "u0041",
        "x",
        "\\\\\\\\\\",
    ];
    const ENDS: [&str; 6] = ["\"", "\\\"", "\u{1}\"", "\\x\"", "\\u12\"", ""];
    let mut random = fastrand::Rng::with_seed(20_261_122);
    let (mut ended, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let mut text: String = (0..random.usize(..60)).map(|_| PIECES[random.usize(..PIECES.len())]).collect();
        text.push_str(ENDS[random.usize(..ENDS.len())]);
        text.push_str(&"a\"\\".repeat(random.usize(..40)));
        let expected = end_of_string(text.as_bytes());
        let found = super::string::rest(text.as_bytes(), 0).ok();
        assert_eq!(found, expected, "{text}");
        *(if found.is_some() { &mut ended } else { &mut refused }) += 1;
    }
    assert!(ended > 1_000 && refused > 1_000, "{ended} ended, {refused} were refused");
}
