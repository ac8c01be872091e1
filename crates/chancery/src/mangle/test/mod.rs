//! `mangle test`: cases in the language's own terms, which rules they reach, and which changes of rules they notice.

mod case;
mod compare;
mod coverage;
mod files;
mod junit;
mod marked;
mod mutate;
mod report;
mod suite;
mod watch;
mod yaml;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use mangle::syntax::{Dialect, Parsed, Sources, ast::Atom, parse};

use super::{REJECTED, args::Test, external::Answers, load::read, print, tell};
use coverage::{Coverage, Reached};
use report::{CaseReport, Report, SuiteReport};
use suite::{Case, Suite};

/// The rules under test: sources with what was parsed of them, and who answers for external predicates.
#[derive(Clone)]
struct Rules {
    sources: Sources,
    parsed: Vec<Parsed>,
    dialect: Dialect,
    answers: Answers,
}

impl Rules {
    /// Whether a clause or a declaration is about a predicate.
    fn define(&self, name: &str, arity: usize) -> bool {
        let is_it = |package: &str, atom: &Atom| {
            let text = &*atom.predicate.text;
            let named = if package.is_empty() {
                text == name
            } else {
                format!("{package}.{text}") == name
            };
            named && atom.args.len() == arity
        };
        self.parsed.iter().any(|parsed| {
            let package = parsed.unit.package.as_ref().map_or("", |package| &package.name.text);
            parsed.unit.clauses().any(|clause| is_it(package, &clause.head)) || parsed.unit.decls().any(|decl| is_it(package, &decl.atom))
        })
    }
}

/// Runs every suite. Ends with 1 if a case fails, or none was run.
pub(super) fn test(args: &Test) -> anyhow::Result<ExitCode> {
    if args.watch {
        return watch::watch(args);
    }
    let (report, _) = run(args)?;
    print(&report.render(args.format))?;
    if report.passed() + report.failed() == 0 {
        tell("no case was run\n");
    }
    Ok(if report.failed() == 0 && report.passed() > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(REJECTED)
    })
}

/// What came of all suites, and the files that they are made of.
fn run(args: &Test) -> anyhow::Result<(Report, Vec<PathBuf>)> {
    let answers = Answers::read(&args.external)?;
    let (mut report, mut used) = (Report::default(), Vec::new());
    for file in files::find(&args.files)? {
        let suite = run_suite(args, &file, &answers, &mut used).unwrap_or_else(|error| SuiteReport {
            broken: Some(format!("{error:#}")),
            ..SuiteReport::default()
        });
        report.suites.push(SuiteReport {
            file: file.display().to_string(),
            ..suite
        });
        used.push(file);
    }
    used.extend(args.external.iter().map(|(_, file)| file.clone()));
    Ok((report, used))
}

fn run_suite(args: &Test, file: &Path, answers: &Answers, used: &mut Vec<PathBuf>) -> anyhow::Result<SuiteReport> {
    let suite = Suite::read(file, &read(file)?)?;
    used.extend(suite.rules.iter().cloned());
    let rules = rules(&suite, args.extended, answers)?;
    let chosen = |case: &&Case| args.filter.as_ref().is_none_or(|text| case.name.contains(text));
    let (mut done, mut reached) = (SuiteReport::default(), Reached::default());
    for case in suite.cases.iter().filter(chosen) {
        let outcome = case::run(case, &suite, &rules, true)?;
        reached.add(&outcome.reached);
        done.cases.push(CaseReport {
            name: case.name.clone(),
            line: case.line,
            problems: outcome.problems,
        });
    }
    if args.coverage {
        done.coverage = Some(Coverage::of(&rules, &reached));
    }
    if args.mutate && done.failed() == 0 {
        let cases: Vec<&Case> = suite.cases.iter().filter(chosen).collect();
        done.mutation = Some(mutate::mutate(&cases, &suite, &rules));
    }
    Ok(done)
}

/// Reads the rule files of a suite. They have to parse; whether they are otherwise well is for the cases to say.
fn rules(suite: &Suite, extended: bool, answers: &Answers) -> anyhow::Result<Rules> {
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
    Ok(Rules {
        sources,
        parsed,
        dialect,
        answers: answers.clone(),
    })
}
