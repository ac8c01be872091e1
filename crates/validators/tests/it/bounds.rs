//! Tests of bounds: any input is judged in bounded time and depth, without a panic.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use validators::arguments::{Plan, Slots, Validator};
use validators::code::{self, Language, Level};
use validators::{Findings, path, shell, sql, url};

use crate::rows::{CLASSES, roots};

/// A time far longer than any judgement takes, on any machine, unoptimised; far shorter than an unbounded one would
/// take.
const LONG: Duration = Duration::from_secs(10);

/// The pieces that make parsers nest, repeat and backtrack.
const PIECES: &[&str] = &[
    "(",
    "[",
    "{",
    "${",
    "$(",
    "`",
    "<(",
    "\"",
    "'",
    "((",
    "{a,",
    "\\",
    "!",
    "- ",
    "not ",
    "a if b else ",
    "lambda: ",
    "1+",
    "a.",
    "a[",
    "f'{",
    "SELECT (",
    "CASE WHEN ",
    "WITH a AS (",
    "NOT ",
    "a OR ",
    "/*",
    "<<E\n",
    "*",
    "?",
    "../",
    "%25",
    "%",
    "\\x41",
    "\\u",
    "a|",
    "a;",
    "a\n",
    "if a:\n ",
    "x=>",
    "=>{",
    "`${",
    "<!--",
    "//",
    "http://",
    "@",
    "::",
    "sh -c '",
    "env ",
    "SELECT 1 UNION ",
    "x = [",
    "class A:\n",
    "<T>",
    "a?b:",
    "async ",
    "/",
];

#[test]
fn what_nests_and_repeats_is_judged_in_time() {
    for piece in PIECES {
        for length in [100, 12_000] {
            let text = piece.repeat(length / piece.len());
            for class in CLASSES {
                let start = Instant::now();
                is_sound(&text, &(class.judge)(&text));
                assert!(
                    start.elapsed() < LONG,
                    "{} took {:?} for {piece:?} {length}",
                    class.name,
                    start.elapsed()
                );
            }
        }
    }
}

/// Text in backquotes is parsed twice: findings in it are about the whole word.
#[test]
fn spans_of_backquoted_scripts_lie_in_the_text() {
    for text in ["U@¥`\u{a51}`", "echo ¥`¥¥ \\`rm¥\\``", "`¥`"] {
        for class in CLASSES {
            is_sound(text, &(class.judge)(text));
        }
    }
}

#[test]
fn long_findings_are_few() {
    let text = "import subprocess\n".repeat(1000);
    assert!(code::check(&text, &code::Policy::strict(Language::Python)).as_slice().len() <= 32);
}

fn plan() -> Plan {
    let mut plan = Plan::new([
        Validator::Sandbox(shell::Profile::Pipeline),
        Validator::Readonly,
        Validator::NetworkRestricted,
        Validator::CodeSafety(Level::Readonly),
    ]);
    plan.roots = roots();
    plan
}

/// Generates texts of meaningful pieces, and of anything.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        2 => "[a-z ]{1,6}",
        1 => "\\PC{1,4}",
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Checks what holds for every judgement.
fn is_sound(text: &str, findings: &Findings) {
    for finding in findings.as_slice() {
        assert!(
            finding.span.start <= finding.span.end && finding.span.end <= text.len(),
            "{finding:?} in {text:?}"
        );
        assert!(
            text.is_char_boundary(finding.span.start) && text.is_char_boundary(finding.span.end),
            "{finding:?} in {text:?}"
        );
        assert!(!finding.reason.is_empty() && !finding.hint.is_empty() && finding.rule.contains('.'));
        let place = validators::Place::of(text, finding.span.start);
        assert!(place.line >= 1 && place.column >= 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, rng_seed: RngSeed::Fixed(45), ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_judged(text in texts()) {
        for class in CLASSES {
            is_sound(&text, &(class.judge)(&text));
        }
        is_sound(&text, &sql::check_literal(&text));
        is_sound(&text, &shell::check_literal(&text));
    }

    #[test]
    fn any_arguments_are_judged(text in texts(), name in "(command|sql|url|path|code|host|x)") {
        let arguments = serde_json::json!({ name: text.clone(), "list": [text] }).to_string();
        let verdict = plan().judge(&Slots::default(), &arguments);
        prop_assert!(verdict.violations.len() <= 32);
    }

    #[test]
    fn damaged_arguments_are_judged(text in "\\PC{0,40}") {
        let verdict = plan().judge(&Slots::default(), &text);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok() || !verdict.violations.is_empty());
    }

    /// A path that passes stays inside when it is resolved step by step.
    #[test]
    fn a_path_that_passes_stays_inside(text in "[a-z./%25\\\\ ]{0,20}") {
        if path::check(&text, &roots()).is_clean() {
            let mut at: Vec<&str> = if text.starts_with(['/', '\\']) { Vec::new() } else { vec!["srv", "project"] };
            for segment in text.split(['/', '\\']).filter(|segment| !segment.is_empty() && *segment != ".") {
                if segment == ".." { at.pop(); } else { at.push(segment); }
            }
            prop_assert!(at.starts_with(&["srv", "project"]), "{text:?} is at {at:?}");
        }
    }

    /// However an IPv4 address is written, the judgement is that of the address.
    #[test]
    fn an_address_is_judged_in_any_notation(octets in any::<[u8; 4]>()) {
        let address = IpAddr::from(octets);
        let special = url::special(address).is_some();
        let number = u32::from_be_bytes(octets);
        let mapped = format!("[::ffff:{address}]");
        for host in [address.to_string(), number.to_string(), format!("{number:#x}"), format!("{number:#o}").replacen("0o", "0", 1), mapped] {
            let judged = url::check(&format!("http://{host}/"), &url::Policy::default());
            prop_assert_eq!(!judged.findings.is_clean(), special, "{}", host);
        }
    }
}
