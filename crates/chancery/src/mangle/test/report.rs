//! The results of a run of tests.

use super::{coverage::Coverage, mutate::Mutation, problem::Problem};

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
}
