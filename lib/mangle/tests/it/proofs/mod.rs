//! Checks that every derived fact has a proof, and every fact that is one value away from one has a reason why it does
//! not hold. Both are checked by code that does not know how they were made.

mod checker;

use std::{collections::BTreeMap, sync::Arc};

use mangle::{
    eval::{Budget, Cancel, Model},
    explain::Explainer,
    program::PredId,
    syntax::{Dialect, Sources, parse},
    value::Value,
};

use self::checker::{Checker, Seen};
use crate::{
    corpus,
    engine::{Limits, Source, evaluate, load_at},
    generate::{self, NOW},
    naive::value::time,
};

/// How many questions about one program are asked at most.
const QUESTIONS: usize = 50;

#[test]
fn every_derived_fact_of_the_corpus_has_a_proof_that_holds() {
    let mut seen = Seen::default();
    for case in accepted() {
        proofs(&case.name, &case.sources, &case.limits, &mut seen);
    }
    assert!(seen.checked >= 350 && seen.skipped() * 20 <= seen.checked, "{seen:?}");
}

#[test]
fn every_derived_fact_of_random_programs_has_a_proof_that_holds() {
    let mut seen = Seen::default();
    for seed in 0..150 {
        let (source, limits) = random(seed);
        proofs(&format!("seed {seed}"), &[source], &limits, &mut seen);
    }
    assert!(seen.checked >= 1_000 && seen.skipped() == 0, "{seen:?}");
}

#[test]
fn whatever_is_one_value_away_from_a_fact_has_a_reason() {
    let mut seen = Seen::default();
    for case in accepted() {
        reasons(&case.name, &case.sources, &case.limits, &mut seen);
    }
    for seed in 0..60 {
        let (source, limits) = random(seed);
        reasons(&format!("seed {seed}"), &[source], &limits, &mut seen);
    }
    assert!(seen.checked >= 1_000 && seen.skipped() * 20 <= seen.checked, "{seen:?}");
}

/// The programs of the corpus that have facts.
fn accepted() -> impl Iterator<Item = corpus::Case> {
    corpus::cases().into_iter().filter(|case| case.facts.is_some())
}

fn random(seed: u64) -> (Source, Limits) {
    let source = Source {
        name: format!("seed {seed}"),
        text: generate::program(seed).text(),
    };
    let limits = Limits {
        now: Some(time(NOW)),
        ..Limits::default()
    };
    (source, limits)
}

/// Returns a program with the tree that its spans point into.
fn model_of(name: &str, sources: &[Source], limits: &Limits) -> (Model, Vec<mangle::syntax::ast::Unit>) {
    let program = load_at(sources, &limits.outside.levels, Dialect::Extended).unwrap_or_else(|codes| panic!("{name}: {codes:?}"));
    let model = evaluate(program, limits).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut texts = Sources::new();
    for source in sources {
        texts.add(&source.name, &source.text).expect("tests are short");
    }
    (model, texts.iter().map(|source| parse(source, Dialect::Extended).unit).collect())
}

fn proofs(name: &str, sources: &[Source], limits: &Limits, seen: &mut Seen) {
    let (model, units) = model_of(name, sources, limits);
    let checker = Checker::new(name, &model, &units, &limits.outside);
    let mut explainer = Explainer::new(&model, Budget::UNLIMITED, Cancel::default());
    for pred in predicates(&model) {
        for fact in model.facts(pred) {
            let proof = explainer.why(pred, &fact.args, fact.time);
            let proof = proof.unwrap_or_else(|error| panic!("{name}: {error}"));
            let proof = proof.unwrap_or_else(|| panic!("{name}: no proof of {}", model.fact_to_text(&fact).join(", ")));
            checker.proof(&proof, seen);
        }
    }
}

/// Asks why not, for each argument of each derived fact and each other value that occurs in the program.
fn reasons(name: &str, sources: &[Source], limits: &Limits, seen: &mut Seen) {
    let (model, units) = model_of(name, sources, limits);
    let checker = Checker::new(name, &model, &units, &limits.outside);
    let mut explainer = Explainer::new(&model, Budget::UNLIMITED, Cancel::default());
    for (pred, args) in neighbours(&model).into_iter().take(QUESTIONS) {
        let why_not = explainer
            .why_not(pred, &args, None)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let why_not = why_not.unwrap_or_else(|| panic!("{name}: it says that a fact holds which does not"));
        assert_eq!((why_not.pred, &why_not.args), (pred, &args), "{name}");
        checker.why_not(&why_not, seen);
    }
}

/// Returns facts that do not hold and differ in one argument from a fact that a rule derives.
fn neighbours(model: &Model) -> Vec<(PredId, Vec<Value>)> {
    let values = predicates(model).flat_map(|pred| model.rows(pred)).flatten();
    let domain: BTreeMap<u64, Value> = values.map(|value| (value.bits(), value)).collect();
    let program: &Arc<_> = model.program();
    let derived = predicates(model).filter(|&pred| program.rules.iter().any(|rule| rule.head.pred == pred));
    let mut found = Vec::new();
    for pred in derived {
        for row in model.rows(pred) {
            for at in 0..row.len() {
                found.extend(domain.values().map(|&value| {
                    let mut other = row.clone();
                    other[at] = value;
                    (pred, other)
                }));
            }
        }
    }
    found.retain(|(pred, row)| !model.holds(*pred, row));
    found
}

fn predicates(model: &Model) -> impl Iterator<Item = PredId> {
    let all = model.program().predicates.iter().enumerate();
    let stored = all.filter(|(_, predicate)| predicate.deferred.is_none());
    stored.map(|(number, _)| PredId(number as u32)).collect::<Vec<_>>().into_iter()
}
