//! Runs one case: evaluates rules and facts, and compares the result with the expectations.

use std::collections::BTreeSet;
use std::sync::Arc;

use mangle::{
    analysis::Level,
    diagnostic::Diagnostic,
    eval::Options,
    explain::{Life, coverage},
    program::Program,
    syntax::{Bounds, Dialect, parse},
};

use super::{
    super::{
        evaluate,
        external::Answers,
        load::{analysed, report},
    },
    compare::{Found, compare},
    coverage::Reached,
    problem::Problem,
    rules::Rules,
    suite::{Case, Suite, heads},
};

/// The result of a case.
#[derive(Default)]
pub(super) struct Outcome {
    /// The problems; none if the case passed.
    pub(super) problems: Vec<Problem>,
    /// The rules that the case reached.
    pub(super) reached: Reached,
}

/// Runs a case with these rules.
pub(super) fn run(case: &Case, suite: &Suite, rules: &Rules, explain: bool) -> anyhow::Result<Outcome> {
    let (mut sources, mut units) = (rules.sources.clone(), Vec::new());
    // Facts of a case are data: they may be any predicate's.
    units.extend(rules.parsed.iter().map(|parsed| (Level::Schema, parsed.clone())));
    let given = format!("{}\n{}", case.texts.given, declarations(case, suite, rules));
    let index = sources.add(&suite.name, &given)?;
    if let Some(source) = sources.get(index) {
        units.push((Level::Schema, parse(source, Dialect::Extended)));
    }
    let mut answers = rules.answers.clone();
    answers.add(None, &suite.name, &case.texts.answers)?;
    let mut loaded = analysed(sources, units, rules.dialect, &Bounds::default());
    let mut outcome = Outcome::default();
    let result = match loaded.analysis.program.take() {
        None => Err(loaded.diagnostics.iter().filter(|found| found.is_error()).cloned().collect()),
        Some(program) => evaluate(program, case.now, &answers)?,
    };
    match (result, &case.error) {
        (Ok(model), None) => {
            for rule in coverage(&model) {
                let span = model.program().rule(rule.rule).span;
                outcome.reached.note(span, rule.count.fired, life(model.program(), &rule.life));
            }
            let found = Found {
                model: &model,
                loaded: &loaded,
                file: &suite.name,
                explain,
            };
            outcome.problems = compare(case, &found);
        }
        (Ok(_), Some(code)) => outcome.problems.push(Problem::NoError { expected: code.clone() }),
        (Err(found), Some(code)) if found.iter().any(|one: &Diagnostic| one.code.name() == code) => {}
        (Err(found), expected) => outcome.problems.push(Problem::Error {
            expected: expected.clone(),
            codes: found
                .iter()
                .map(|one| one.code.name())
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            text: report(&found, &loaded.sources),
        }),
    }
    Ok(outcome)
}

/// Declares as data the predicates that another case gives facts of and this one does not, unless the rules define
/// them.
fn declarations(case: &Case, suite: &Suite, rules: &Rules) -> String {
    let own = heads(&case.texts.given);
    let left_out = suite.given.difference(&own).filter(|(name, arity)| !rules.define(name, *arity));
    let declare = |(name, arity): &(String, usize)| {
        let args: Vec<String> = (1..=*arity).map(|number| format!("X{number}")).collect();
        format!("Decl {name}({}) descr [extensional()].\n", args.join(", "))
    };
    left_out.map(declare).collect()
}

type Evaluated = Result<mangle::eval::Model, Vec<Diagnostic>>;

fn evaluate(program: Program, now: i64, answers: &Answers) -> anyhow::Result<Evaluated> {
    let program = Arc::new(program);
    answers.check(&program)?;
    let options = Options { now, ..Options::default() };
    Ok(evaluate::evaluate(&program, &options, answers).map_err(|found| vec![*found]))
}

/// Returns what kept a rule from firing, in words.
fn life(program: &Program, life: &Life) -> Option<String> {
    let names = |missing: &[mangle::program::PredId]| {
        let names: Vec<String> = missing.iter().map(|&pred| format!("`{}`", program.predicate(pred).name)).collect();
        format!("there are no facts of {}", names.join(", "))
    };
    match life {
        Life::Fired => None,
        Life::Deferred => Some(String::new()),
        Life::Dormant => Some("its premises never hold together".to_owned()),
        Life::PartiallyAlive(missing) | Life::Dead(missing) => Some(names(missing)),
    }
}
