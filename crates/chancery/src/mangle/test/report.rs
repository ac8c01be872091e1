//! What came of a run of tests, for people and for programs.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::{coverage::Coverage, junit, mutate::Mutation};
use crate::{mangle::args::TestFormat, words::plural};

/// One way in which a case is not as it should be.
#[derive(Debug)]
pub(super) enum Problem {
    /// A fact is not there.
    Missing { fact: String, line: u32, because: Vec<String> },
    /// A fact is there.
    Unexpected { fact: String, line: u32, because: Vec<String> },
    /// The program is rejected or stopped, and that was not expected, or not like this.
    Error {
        expected: Option<String>,
        codes: Vec<&'static str>,
        text: String,
    },
    /// The program has facts where an error was expected.
    NoError { expected: String },
    /// What is expected cannot be read.
    Unreadable(String),
}

impl Problem {
    /// In one line.
    pub(super) fn headline(&self) -> String {
        match self {
            Self::Missing { fact, .. } => format!("missing: {fact}"),
            Self::Unexpected { fact, .. } => format!("should not be there: {fact}"),
            Self::Error { expected: None, codes, .. } => format!("ended with {}", codes.join(", ")),
            Self::Error {
                expected: Some(expected),
                codes,
                ..
            } => format!("expected the error {expected}, not {}", codes.join(", ")),
            Self::NoError { expected } => format!("expected the error {expected}, and there is none"),
            Self::Unreadable(_) => "what is expected cannot be read".to_owned(),
        }
    }

    /// As a difference: `-` is missing, `+` is too much.
    pub(super) fn text(&self) -> String {
        let lines = |sign: char, fact: &str, line: u32, because: &[String]| {
            let mut out = format!("{sign} {fact}    (line {line})\n");
            for line in because {
                let _infallible = writeln!(out, "    {line}");
            }
            out
        };
        match self {
            Self::Missing { fact, line, because } => lines('-', fact, *line, because),
            Self::Unexpected { fact, line, because } => lines('+', fact, *line, because),
            Self::Error { text, .. } => format!("{}\n{text}", self.headline()),
            Self::NoError { .. } => self.headline() + "\n",
            Self::Unreadable(text) => format!("{}:\n{text}", self.headline()),
        }
    }

    fn json(&self) -> Json {
        match self {
            Self::Missing { fact, line, because } => json!({ "kind": "missing", "fact": fact, "line": line, "because": because }),
            Self::Unexpected { fact, line, because } => json!({ "kind": "unexpected", "fact": fact, "line": line, "because": because }),
            Self::Error { expected, codes, text } => json!({ "kind": "error", "expected": expected, "codes": codes, "text": text }),
            Self::NoError { expected } => json!({ "kind": "no-error", "expected": expected }),
            Self::Unreadable(text) => json!({ "kind": "unreadable", "text": text }),
        }
    }
}

/// A case that was run.
#[derive(Debug)]
pub(super) struct CaseReport {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) problems: Vec<Problem>,
}

/// A file of cases that were run.
#[derive(Debug, Default)]
pub(super) struct SuiteReport {
    pub(super) file: String,
    pub(super) cases: Vec<CaseReport>,
    /// Why its cases could not be run.
    pub(super) broken: Option<String>,
    pub(super) coverage: Option<Coverage>,
    pub(super) mutation: Option<Mutation>,
}

impl SuiteReport {
    pub(super) fn failed(&self) -> usize {
        self.cases.iter().filter(|case| !case.problems.is_empty()).count() + usize::from(self.broken.is_some())
    }
}

/// Everything that was run.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) suites: Vec<SuiteReport>,
}

impl Report {
    pub(super) fn failed(&self) -> usize {
        self.suites.iter().map(SuiteReport::failed).sum()
    }

    pub(super) fn passed(&self) -> usize {
        let passed = |suite: &SuiteReport| suite.cases.iter().filter(|case| case.problems.is_empty()).count();
        self.suites.iter().map(passed).sum()
    }

    pub(super) fn render(&self, format: TestFormat) -> String {
        match format {
            TestFormat::Human => self.text(),
            TestFormat::Json => format!("{:#}\n", self.json()),
            TestFormat::Junit => junit::write(self),
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for suite in &self.suites {
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
        let files = plural(self.suites.len(), "file");
        let _infallible = writeln!(out, "{} passed, {} failed in {files}", self.passed(), self.failed());
        out
    }

    fn json(&self) -> Json {
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
        json!({ "passed": self.passed(), "failed": self.failed(), "suites": self.suites.iter().map(suite).collect::<Json>() })
    }
}

fn indent(out: &mut String, text: &str) {
    for line in text.lines() {
        let _infallible = writeln!(out, "{}", format!("     {line}").trim_end());
    }
}
