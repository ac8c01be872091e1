//! Tests of the values of literals, case by case.

use super::{duration, timestamp, unescape};

#[test]
fn times_are_nanoseconds_since_1970() {
    let cases = [
        ("1970-01-01", Some(0)),
        ("1969-12-31T23:59:59Z", Some(-1_000_000_000)),
        ("2024-02-29", Some(1_709_164_800_000_000_000)),
        ("2024-01-15T10:30:00.5Z", Some(1_705_314_600_500_000_000)),
        ("2024-01-15T12:30:00+02:00", Some(1_705_314_600_000_000_000)),
        ("2023-02-29", None),
        ("2024-13-01", None),
        ("2024-01-15T25:00:00", None),
        ("2024-01-15T10:30", None),
        ("2500-01-01", None),
    ];
    for (text, expected) in cases {
        assert_eq!(timestamp(text), expected, "{text}");
    }
}

#[test]
fn durations_add_up_or_do_not_fit() {
    let cases = [
        ("7d", Some(604_800_000_000_000)),
        ("1h30m", Some(5_400_000_000_000)),
        ("500ms", Some(500_000_000)),
        ("-2ns", Some(-2)),
        ("106752d", None),
    ];
    for (text, expected) in cases {
        assert_eq!(duration(text), expected, "{text}");
    }
}

#[test]
fn escapes_mean_what_the_language_says() {
    let cases: [(&str, bool, Option<&[u8]>); 9] = [
        (r"a\n\t\\\'", false, Some(b"a\n\t\\'")),
        ("a\\\n\nb", false, Some(b"a\n\nb")),
        (r"\x68\u{0065}", false, Some(b"he")),
        (r"\u{01f624}", false, Some("😤".as_bytes())),
        (r"\x80", true, Some(b"\x80")),
        (r"\x80", false, None),
        (r"\xé", false, None),
        (r"\u{d800}", false, None),
        (r"\é", false, None),
    ];
    for (text, is_bytes, expected) in cases {
        assert_eq!(unescape(text, is_bytes).ok().as_deref(), expected, "{text}");
    }
}
