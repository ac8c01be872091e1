//! Writes results in the XML of JUnit, for continuous integration.

use std::fmt::Write as _;

use super::report::{Report, SuiteReport};

/// Writes a suite for each file and a case for each case; coverage is in properties. Times are left out, so that equal
/// tests have equal output.
pub(super) fn write(report: &Report) -> String {
    let (failed, all) = (report.failed(), report.failed() + report.passed());
    let mut out = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{all}\" failures=\"{failed}\">\n");
    report.suites.iter().for_each(|one| suite(&mut out, one));
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, suite: &SuiteReport) {
    let (file, broken) = (escaped(&suite.file), usize::from(suite.broken.is_some()));
    let (tests, failed) = (suite.cases.len() + broken, suite.failed() - broken);
    let _infallible = writeln!(
        out,
        "  <testsuite name=\"{file}\" tests=\"{tests}\" failures=\"{failed}\" errors=\"{broken}\">"
    );
    properties(out, suite);
    if let Some(broken) = &suite.broken {
        let _infallible = writeln!(
            out,
            "    <testcase classname=\"{file}\" name=\"read\" file=\"{file}\">\n      <error message=\"it cannot be read\">{}</error>\n    </testcase>",
            escaped(broken)
        );
    }
    for case in &suite.cases {
        let (name, line) = (escaped(&case.name), case.line);
        let _infallible = write!(
            out,
            "    <testcase classname=\"{file}\" name=\"{name}\" file=\"{file}\" line=\"{line}\""
        );
        if case.problems.is_empty() {
            out.push_str("/>\n");
            continue;
        }
        out.push_str(">\n");
        for problem in &case.problems {
            let (message, text) = (escaped(&problem.headline()), escaped(&problem.text()));
            let _infallible = writeln!(out, "      <failure message=\"{message}\">{text}</failure>");
        }
        out.push_str("    </testcase>\n");
    }
    out.push_str("  </testsuite>\n");
}

fn properties(out: &mut String, suite: &SuiteReport) {
    let mut all = Vec::new();
    if let Some(coverage) = &suite.coverage {
        all.extend([("rules", coverage.total()), ("rules.fired", coverage.fired())]);
    }
    if let Some(mutation) = &suite.mutation {
        all.extend([("changes", mutation.total()), ("changes.noticed", mutation.noticed())]);
    }
    if all.is_empty() {
        return;
    }
    out.push_str("    <properties>\n");
    for (name, value) in all {
        let _infallible = writeln!(out, "      <property name=\"{name}\" value=\"{value}\"/>");
    }
    out.push_str("    </properties>\n");
}

/// Escapes text for XML; a character that XML cannot contain becomes a replacement character.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
