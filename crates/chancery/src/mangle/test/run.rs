//! Runs every suite.

use std::path::{Path, PathBuf};

use super::{
    super::{args::Test, external::Answers, load::read},
    case,
    coverage::{Coverage, Reached},
    files,
    mutate::mutate,
    read::read_suite,
    report::{CaseReport, Report, SuiteReport},
    rules::Rules,
    suite::Case,
};

/// Runs all suites, and returns the report with the files that they are made of.
pub(super) fn run(args: &Test) -> anyhow::Result<(Report, Vec<PathBuf>)> {
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
    let suite = read_suite(file, &read(file)?)?;
    used.extend(suite.rules.iter().cloned());
    let rules = Rules::read(&suite, args.extended, answers)?;
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
        done.mutation = Some(mutate(&cases, &suite, &rules));
    }
    Ok(done)
}
