//! Compares two evaluators that share no code on random programs, and checks that changes to programs that must not
//! matter do not.

use mangle::syntax::{Dialect, Sources, parse};

use crate::{
    corpus::{self, Case, Rows, difference},
    engine::{Answer, Limits, Source, run},
    generate::{self, NOW, Program, Random, change},
    naive::{self, Fail},
};

/// A limit of facts that no generated program reaches.
const FACTS: usize = 20_000;

#[test]
fn the_naive_evaluator_says_what_the_corpus_says() {
    let mut covered = 0;
    for case in corpus::cases() {
        let Some(want) = &case.facts else { continue };
        let Some(got) = naively(&case) else { continue };
        assert_eq!(&got, want, "{}", case.name);
        covered += 1;
    }
    assert!(covered >= 60, "only {covered} programs are within its reach");
}

/// Returns the naive evaluator's answer to a program of the corpus, unless the program uses something it does not
/// support.
fn naively(case: &Case) -> Option<Rows> {
    let [source] = &case.sources[..] else { return None };
    let sources = Sources::of(&source.name, &source.text).expect("it is short");
    let parsed = parse(sources.get(0)?, Dialect::Strict);
    // It does not support merged, deferred and packaged predicates.
    let plain = parsed.unit.decls().all(|decl| decl.descr.is_empty()) && parsed.unit.package.is_none();
    if !plain || !parsed.is_ok() {
        return None;
    }
    let now = case.limits.options().now;
    match naive::run(&parsed.unit, now, FACTS) {
        Ok(facts) => Some(facts.print()),
        Err(Fail::NotCovered(_) | Fail::NoResult(_)) => None,
        Err(fail) => panic!("{}: {fail:?}", case.name),
    }
}

#[test]
fn a_thousand_random_programs_agree_with_the_naive_evaluator() {
    agree(0, 1_000);
}

/// Runs for `cargo xtask soak mangle`.
#[test]
#[ignore = "long: cargo xtask soak mangle"]
fn soak_mangle_agreement() {
    agree(seed(), 100_000);
}

fn agree(first: u64, count: u64) {
    for seed in (0..count).map(|more| first.wrapping_add(more)) {
        let text = generate::program(seed).text();
        if disagreement(&text).is_some() {
            let least = shrunk(&text);
            let how = disagreement(&least).unwrap_or_default();
            panic!("seed {seed}: the engine and the naive evaluator disagree on\n{least}\n{how}");
        }
    }
}

/// Returns how the two answers to a program differ.
fn disagreement(text: &str) -> Option<String> {
    let want = naive_answer(text).ok()?;
    match engine_answer(text) {
        Answer::Facts(got) => (got != want).then(|| difference(&got, &want)),
        other => Some(format!("{other:?}")),
    }
}

fn naive_answer(text: &str) -> Result<Rows, Fail> {
    let sources = Sources::of("generated", text).expect("it is short");
    let source = sources.get(0).expect("it was added");
    let parsed = parse(source, Dialect::Strict);
    assert!(parsed.is_ok(), "{:?}\n{text}", parsed.diagnostics);
    Ok(naive::run(&parsed.unit, NOW, FACTS)?.print())
}

/// Returns the engine's answer to a generated program.
pub(crate) fn engine_answer(text: &str) -> Answer {
    let source = Source {
        name: "generated".to_owned(),
        text: text.to_owned(),
    };
    let limits = Limits {
        now: Some(naive::value::time(NOW)),
        ..Limits::default()
    };
    run(&[source], Dialect::Extended, &limits)
}

/// Returns the program without the lines that the disagreement does not need.
fn shrunk(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        let mut fewer = lines.clone();
        fewer.remove(at);
        let whole = std::panic::catch_unwind(|| disagreement(&fewer.join("\n")).is_some_and(|how| !how.contains("Rejected")));
        match whole {
            Ok(true) => lines = fewer,
            _ => at += 1,
        }
    }
    lines.join("\n")
}

#[test]
fn the_generator_writes_programs_that_say_something() {
    let (mut derived, mut too_many) = (0, 0);
    for seed in 0..500 {
        match naive_answer(&generate::program(seed).text()) {
            Ok(facts) => derived += usize::from(facts.keys().any(|key| key.starts_with(['d', 'u']))),
            Err(Fail::TooMany) => too_many += 1,
            Err(fail) => panic!("seed {seed}: {fail:?}"),
        }
    }
    assert!(
        derived >= 450 && too_many <= 5,
        "{derived} of 500 derive something, {too_many} run away"
    );
}

#[test]
fn the_order_of_facts_rules_and_conditions_makes_no_difference() {
    unchanged(0, 300, |program, random| change::reorder(program, random).text(), |answer| answer);
}

#[test]
fn names_make_no_difference() {
    unchanged(
        300,
        300,
        |program, _| change::rename(&program.text()),
        |answer| answer_named_back(&answer),
    );
}

#[test]
fn a_rule_in_two_steps_says_the_same() {
    unchanged(600, 300, |program, _| change::split(program).text(), without_parts);
}

/// Runs for `cargo xtask soak mangle`.
#[test]
#[ignore = "long: cargo xtask soak mangle"]
fn soak_mangle_changes() {
    let first = seed();
    unchanged(
        first,
        10_000,
        |program, random| change::reorder(program, random).text(),
        |answer| answer,
    );
    unchanged(
        first,
        10_000,
        |program, _| change::rename(&program.text()),
        |answer| answer_named_back(&answer),
    );
    unchanged(first, 10_000, |program, _| change::split(program).text(), without_parts);
}

/// Checks that the answer to a changed program, seen through `back`, is the answer to the program.
fn unchanged(first: u64, count: u64, change: impl Fn(&Program, &mut Random) -> String, back: impl Fn(Rows) -> Rows) {
    for seed in (0..count).map(|more| first.wrapping_add(more)) {
        let program = generate::program(seed);
        let changed = change(&program, &mut Random::new(seed));
        let (Answer::Facts(want), Answer::Facts(got)) = (engine_answer(&program.text()), engine_answer(&changed)) else {
            panic!("seed {seed}: no facts from\n{}\nor\n{changed}", program.text());
        };
        let got = back(got);
        assert!(
            got == want,
            "seed {seed}:\n{}\nbecame\n{changed}\n{}",
            program.text(),
            difference(&got, &want)
        );
    }
}

fn answer_named_back(answer: &Rows) -> Rows {
    let rename = |key: &String| {
        let (name, arity) = key.split_once('/').expect("`name/arity`");
        format!("{}/{arity}", change::named_back(name))
    };
    answer.iter().map(|(key, rows)| (rename(key), rows.clone())).collect()
}

/// Removes what [`change::split`] added.
fn without_parts(answer: Rows) -> Rows {
    answer.into_iter().filter(|(key, _)| !key.starts_with("part")).collect()
}

/// Returns the first seed of a long run's random programs.
fn seed() -> u64 {
    let seed = std::env::var("SOAK_SEED").ok().and_then(|seed| seed.parse().ok());
    seed.unwrap_or(1)
}
