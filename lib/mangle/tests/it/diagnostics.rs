//! Checks how findings are rendered, with one program for each code: `data/diagnostics/CODE.mg` and, rendered,
//! `CODE.txt`.
//!
//! A program may consist of several sources: a line `#! domain` begins one of that level. `#! extended` at the top
//! chooses the dialect. `UPDATE_EXPECT=1` rewrites the renderings; the diff is the review.

use std::{collections::BTreeSet, path::PathBuf};

use expect_test::{expect, expect_file};
use mangle::{
    analysis::{Input, Level, analyse},
    diagnostic::{Code, Diagnostic, Severity, human, json, sarif},
    syntax::{Dialect, Parsed, Sources, parse},
};

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", "diagnostics"].iter().collect()
}

/// The codes of the evaluation, which `chancery mangle run` reports and its tests show; and those whose programs are
/// too long for a file.
const ELSEWHERE: &[Code] = &[
    Code::BudgetExceeded,
    Code::EvaluationFailed,
    Code::ExternalUnanswered,
    Code::TooManyVariables,
    Code::TooManyPremises,
];

/// Returns the findings of a program in the test format.
fn findings(name: &str, text: &str) -> (Sources, Vec<Diagnostic>) {
    let mut dialect = Dialect::Strict;
    let mut parts: Vec<(Level, String)> = vec![(Level::Schema, String::new())];
    for line in text.split_inclusive('\n') {
        let word = line.trim().strip_prefix("#! ");
        match word.map(|word| (word, Level::by_name(word))) {
            Some(("extended", _)) => dialect = Dialect::Extended,
            Some((_, Some(level))) => parts.push((level, String::new())),
            _ => parts.last_mut().expect("there is a first part").1.push_str(line),
        }
    }
    let mut sources = Sources::new();
    for (level, text) in &parts {
        let name = if parts.len() == 1 {
            format!("{name}.mg")
        } else {
            format!("{level}.mg")
        };
        sources.add(&name, text).expect("short");
    }
    let parsed: Vec<Parsed> = sources.iter().map(|source| parse(source, dialect)).collect();
    let mut found: Vec<Diagnostic> = parsed.iter().flat_map(|parsed| parsed.diagnostics.clone()).collect();
    if found.is_empty() {
        let inputs: Vec<Input<'_>> = parsed
            .iter()
            .zip(&parts)
            .map(|(parsed, part)| Input {
                unit: &parsed.unit,
                level: part.0,
            })
            .collect();
        found = analyse(&inputs, dialect).diagnostics;
    }
    (sources, found)
}

fn programs() -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder()).expect("the folder is there");
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok()?.strip_suffix(".mg").map(str::to_owned))
        .collect();
    names.sort();
    let text = |name: String| {
        let text = std::fs::read_to_string(folder().join(format!("{name}.mg"))).expect("it was listed");
        (name, text)
    };
    names.into_iter().map(text).collect()
}

#[test]
fn findings_look_like_this() {
    for (name, text) in programs() {
        let (sources, found) = findings(&name, &text);
        let own = |one: &&Diagnostic| name.starts_with(one.code.name());
        let alone = found.len() > 10;
        let worth_showing = |one: &&Diagnostic| own(one) || (one.severity > Severity::Note && !alone);
        let rendered: String = found.iter().filter(worth_showing).map(|one| human(one, &sources)).collect();
        assert!(found.iter().any(|one| own(&one)), "{name} shows its code:\n{rendered}");
        expect_file![folder().join(format!("{name}.txt"))].assert_eq(&rendered);
    }
}

#[test]
fn every_code_has_a_program() {
    let shown: BTreeSet<String> = programs().into_iter().map(|(name, _)| name.chars().take(5).collect()).collect();
    let missing: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| !ELSEWHERE.contains(code))
        .map(|code| code.name())
        .filter(|name| !shown.contains(*name))
        .collect();
    assert_eq!(missing, [""; 0], "codes without a program in tests/data/diagnostics");
}

#[test]
fn fixes_mend_what_they_say() {
    for (name, text) in programs() {
        let (sources, found) = findings(&name, &text);
        for one in found.iter().filter(|one| name.starts_with(one.code.name())) {
            for (likelier, fix) in one.fixes.iter().enumerate() {
                let [edit] = &fix.edits[..] else { panic!("{name}: one edit") };
                let source = sources.find(edit.span).expect("the edit lies in a source");
                let mut mended = source.text().to_owned();
                mended.replace_range(source.range(edit.span), &edit.text);
                let again = findings(&name, &mended).1;
                let same = again
                    .iter()
                    .filter(|other| other.code == one.code && other.message == one.message)
                    .count();
                let before = found
                    .iter()
                    .filter(|other| other.code == one.code && other.message == one.message)
                    .count();
                assert!(
                    same < before || sources.iter().count() > 1,
                    "{name}: `{}` leaves it as it is: {mended}",
                    fix.title
                );
                // Of several fixes the most likely comes first; the other findings that remain were there before.
                let errors = |found: &[Diagnostic]| found.iter().filter(|one| one.is_error()).count();
                let fewer = errors(&again) < errors(&found) || !one.is_error();
                assert!(
                    fewer || likelier > 0 || sources.iter().count() > 1,
                    "{name}: `{}` is no better: {mended}",
                    fix.title
                );
            }
        }
    }
}

#[test]
fn json_and_sarif_carry_the_same_places() {
    let (sources, found) = findings("x", "a(X) :- b(X).\n");
    let list = json(&found, &sources);
    assert_eq!(list[0]["code"], "M0102");
    assert_eq!(list[0]["at"]["start"], serde_json::json!({ "line": 1, "column": 9, "byte": 8 }));
    let log = sarif(&found, &sources, "0.0.0");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "M0102");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startColumn"], 9);
}

#[test]
fn sources_are_named_in_sarif_as_uris() {
    for (name, uri) in [
        ("rules.mg", "rules.mg"),
        ("../my rules/a:1.mg", "../my%20rules/a%3A1.mg"),
        ("/srv/rules.mg", "file:///srv/rules.mg"),
        ("<stdin>", "%3Cstdin%3E"),
        ("Zürich.mg", "Z%C3%BCrich.mg"),
    ] {
        let sources = Sources::of(name, "a(X).\n").expect("short");
        let found = Diagnostic::new(Code::VariableInFact, sources.get(0).expect("one").span(), "x");
        let log = sarif(&[found], &sources, "0.0.0");
        let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], uri, "{name}");
    }
}

#[test]
fn a_rule_with_too_many_variables_is_refused() {
    let variables: Vec<String> = (0..30_001).map(|number| format!("X{number}")).collect();
    let (_, found) = findings("x", &format!("q() :- p({}).\n", variables.join(", ")));
    assert_eq!(
        found.iter().find(|one| one.is_error()).map(|one| one.code),
        Some(Code::TooManyVariables)
    );
}

#[test]
fn a_rule_with_too_many_premises_costs_only_itself() {
    let text = format!("p(1).\nq() :- {}.\nr(X) :- s(X).\n", vec!["p(1)"; 501].join(",\n"));
    let (sources, found) = findings("x", &text);
    let rendered: String = found.iter().map(|one| human(one, &sources)).collect();
    expect![[r#"
        error[M0210]: the rule has too many premises
           --> x.mg:502:1
            |
          2 | q() :- p(1),
            | --- the rule
           ...
        502 | p(1).
            | ^ 500 are allowed
            |
            = help: make facts of what it lists, or derive a part of it by a rule of its own

    "#]]
    .assert_eq(&rendered);
}
