//! Runs every program of the corpus and compares the output with the expectation.

use mangle::syntax::{Dialect, Sources, format, parse};

use super::{Case, Rows, cases};
use crate::engine::{Answer, Source, run, run_on_snapshot};

#[test]
fn every_program_says_what_stands_beside_it() {
    let cases = cases();
    let wrong: Vec<String> = cases.iter().filter_map(complaint).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} programs are wrong:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_snapshot_with_a_request_says_the_same() {
    for case in cases().into_iter().filter(|case| case.facts.is_some()) {
        let answer = run_on_snapshot(&case.sources, Dialect::Strict, &case.limits);
        let (Answer::Facts(got), Some(want)) = (&answer, &case.facts) else {
            panic!("{}: {answer:?}", case.name);
        };
        assert!(got == want, "{}: {}", case.name, difference(got, want));
    }
}

#[test]
fn what_is_formatted_says_the_same() {
    for case in cases() {
        let formatted: Vec<Source> = case.sources.iter().map(in_the_one_style).collect();
        let (before, after) = [&case.sources, &formatted]
            .map(|sources| run(sources, Dialect::Strict, &case.limits))
            .into();
        if matches!(before, Answer::Facts(_) | Answer::Rejected(_)) {
            assert_eq!(before, after, "{}", case.name);
        }
    }
}

/// Returns a source after formatting; one that cannot be read is returned as it is.
fn in_the_one_style(source: &Source) -> Source {
    let sources = Sources::of(&source.name, &source.text).expect("short");
    let read = sources.get(0).expect("one source");
    let parsed = parse(read, Dialect::Strict);
    let text = if parsed.is_ok() {
        format(&parsed.unit, read)
    } else {
        source.text.clone()
    };
    Source {
        name: source.name.clone(),
        text,
    }
}

/// Returns what is wrong with the answer to a case.
fn complaint(case: &Case) -> Option<String> {
    let answer = run(&case.sources, Dialect::Strict, &case.limits);
    let (construct, kind) = &case.cell;
    let right = match (&answer, &case.facts) {
        (Answer::Facts(got), Some(want)) => got == want,
        (Answer::Rejected(codes), None) => codes.iter().any(|code| area(code) == kind),
        (Answer::Stopped(_), None) => kind == "budget",
        (Answer::Failed(_), None) => kind == "evaluation",
        _ => false,
    };
    let got = match (&answer, &case.facts) {
        (Answer::Facts(got), Some(want)) => difference(got, want),
        _ => format!("{answer:?}"),
    };
    (!right).then(|| format!("{}: {construct}, {kind}: {got}", case.name))
}

/// Returns the part of the language that a code belongs to: its first two digits.
fn area(code: &str) -> &'static str {
    match code.as_bytes().get(2) {
        Some(b'0') => "text",
        Some(b'1') => "names",
        Some(b'2') => "variables",
        Some(b'3') => "types",
        Some(b'4') => "strata",
        Some(b'5') => "time",
        Some(b'6') => "trust",
        Some(b'9') => "evaluation",
        _ => "another area",
    }
}

/// Returns the rows that only one side has.
pub(crate) fn difference(got: &Rows, want: &Rows) -> String {
    let mut lines = Vec::new();
    for key in got.keys().chain(want.keys()) {
        let (empty, line) = (Default::default(), |sign: char, row: &Vec<String>| {
            format!("  {sign}{key}({})", row.join(", "))
        });
        let (ours, theirs) = (got.get(key).unwrap_or(&empty), want.get(key).unwrap_or(&empty));
        lines.extend(ours.difference(theirs).map(|row| line('+', row)));
        lines.extend(theirs.difference(ours).map(|row| line('-', row)));
    }
    lines.sort();
    lines.dedup();
    lines.truncate(20);
    format!("more (+) or less (-) than expected\n{}", lines.join("\n"))
}
