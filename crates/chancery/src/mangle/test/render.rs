//! Writes the results of a run, for people and for programs.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::{
    super::args::TestFormat,
    coverage::Coverage,
    junit,
    mutate::Mutation,
    problem::Problem,
    report::{CaseReport, Report, SuiteReport},
};
use crate::words::plural;

/// Writes a report in a format.
pub(super) fn render(report: &Report, format: TestFormat) -> String {
    match format {
        TestFormat::Human => text(report),
        TestFormat::Json => format!("{:#}\n", json(report)),
        TestFormat::Junit => junit::write(report),
    }
}

fn text(report: &Report) -> String {
    let mut out = String::new();
    for suite in &report.suites {
        if let Some(broken) = &suite.broken {
            let _infallible = writeln!(out, "FAIL {}", suite.file);
            indent(&mut out, broken);
        }
        for case in &suite.cases {
            let word = if case.problems.is_empty() { "ok  " } else { "FAIL" };
            let _infallible = writeln!(out, "{word} {}:{} {}", suite.file, case.line, case.name);
            case.problems.iter().for_each(|problem| indent(&mut out, &problem.text()));
        }
        out.extend(suite.coverage.as_ref().map(Coverage::text));
        out.extend(suite.mutation.as_ref().map(Mutation::text));
    }
    let files = plural(report.suites.len(), "file");
    let _infallible = writeln!(out, "{} passed, {} failed in {files}", report.passed(), report.failed());
    out
}

fn json(report: &Report) -> Json {
    let case = |case: &CaseReport| {
        let problems: Json = case.problems.iter().map(Problem::json).collect();
        json!({ "name": case.name, "line": case.line, "passed": case.problems.is_empty(), "problems": problems })
    };
    let suite = |suite: &SuiteReport| {
        let mut json = json!({ "file": suite.file, "cases": suite.cases.iter().map(case).collect::<Json>() });
        let parts = [
            ("error", suite.broken.as_ref().map(|text| json!(text))),
            ("coverage", suite.coverage.as_ref().map(Coverage::json)),
            ("mutation", suite.mutation.as_ref().map(Mutation::json)),
        ];
        for (key, part) in parts {
            part.into_iter().for_each(|part| json[key] = part);
        }
        json
    };
    json!({ "passed": report.passed(), "failed": report.failed(), "suites": report.suites.iter().map(suite).collect::<Json>() })
}

fn indent(out: &mut String, text: &str) {
    for line in text.lines() {
        let _infallible = writeln!(out, "{}", format!("     {line}").trim_end());
    }
}
