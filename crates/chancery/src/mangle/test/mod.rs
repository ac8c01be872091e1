//! `mangle test`: cases in the language's own terms, which rules they reach, and which changes of rules they notice.

mod case;
mod mutate;
mod suite;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use mangle::{
    analysis::Level,
    syntax::{Dialect, Parsed, Sources, Span, parse},
};

use super::{REJECTED, args::Test, load::read, print, tell};
use suite::Suite;

/// The rules under test: sources with what was parsed of them.
#[derive(Clone)]
struct Rules {
    sources: Sources,
    parsed: Vec<Parsed>,
    dialect: Dialect,
}

/// How often each rule fired, by its place.
type Fired = BTreeMap<Span, u64>;

/// Runs every suite.
pub(super) fn test(args: &Test) -> anyhow::Result<ExitCode> {
    let (mut passed, mut failed, mut out) = (0, 0, String::new());
    for file in &args.files {
        let suite = Suite::read(file, &read(file)?)?;
        let rules = rules(&suite, args.extended)?;
        let mut fired = Fired::new();
        let cases = suite
            .cases
            .iter()
            .filter(|case| args.filter.as_ref().is_none_or(|text| case.name.contains(text)));
        for case in cases {
            let outcome = case::run(case, &suite, &rules)?;
            outcome
                .fired
                .iter()
                .for_each(|(&span, count)| *fired.entry(span).or_default() += count);
            let name = format!("{}: {}", file.display(), case.name);
            if outcome.problems.is_empty() {
                passed += 1;
                let _infallible = writeln!(out, "ok   {name}");
            } else {
                failed += 1;
                let _infallible = writeln!(out, "FAIL {name}");
                outcome.problems.iter().for_each(|problem| indent(&mut out, problem));
            }
        }
        if args.coverage {
            out += &coverage(&rules, &fired);
        }
        if args.mutate && failed == 0 {
            out += &mutate::report(&suite, &rules)?;
        }
    }
    let _infallible = writeln!(out, "{passed} passed, {failed} failed");
    print(&out)?;
    if passed + failed == 0 {
        tell("no case was run\n");
    }
    Ok(if failed == 0 && passed > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(REJECTED)
    })
}

fn indent(out: &mut String, text: &str) {
    for line in text.lines() {
        let _infallible = writeln!(out, "     {line}");
    }
}

/// Reads the rule files of a suite. They have to parse; whether they are otherwise well is for the cases to say.
fn rules(suite: &Suite, extended: bool) -> anyhow::Result<Rules> {
    let dialect = if extended || suite.extended {
        Dialect::Extended
    } else {
        Dialect::Strict
    };
    let mut sources = Sources::new();
    for file in &suite.rules {
        sources.add(&file.display().to_string(), &read(file)?)?;
    }
    let parsed: Vec<Parsed> = sources.iter().map(|source| parse(source, dialect)).collect();
    let found: Vec<_> = parsed.iter().flat_map(|parsed| parsed.diagnostics.iter().cloned()).collect();
    if parsed.iter().any(|parsed| !parsed.is_ok()) {
        bail!("the rules cannot be read:\n{}", super::load::report(&found, &sources));
    }
    Ok(Rules { sources, parsed, dialect })
}

/// The rules that no case made fire.
fn coverage(rules: &Rules, fired: &Fired) -> String {
    let all = rules
        .parsed
        .iter()
        .flat_map(|parsed| parsed.unit.clauses())
        .filter(|clause| !clause.is_fact());
    let (mut total, mut reached, mut out) = (0, 0, String::new());
    for clause in all {
        total += 1;
        if fired.get(&clause.span).is_some_and(|&count| count > 0) {
            reached += 1;
        } else if let Some(source) = rules.sources.find(clause.span) {
            let line = source.position(clause.span.start).line;
            let _infallible = writeln!(out, "never fired: {}:{line} {}", source.name(), clause.head.predicate.text);
        }
    }
    let _infallible = writeln!(out, "rules that fired: {reached} of {total}");
    out
}

/// The rules that a test file without `#: rules` tests: `X.mg` for `X_test.mg`.
fn default_rules(file: &Path) -> Option<std::path::PathBuf> {
    let stem = file.file_stem()?.to_str()?.strip_suffix("_test")?;
    Some(file.with_file_name(format!("{stem}.mg")))
}

/// Facts of a case are data: they come at the level that rules trust least, but may be any predicate's.
const GIVEN: Level = Level::Schema;
