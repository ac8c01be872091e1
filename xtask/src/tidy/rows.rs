//! Checks `docs/reference/mgp-rows.md`: each requirement of MGP has a test, and each named test exists.

use super::tree::File;
use super::violation::Violation;

const DOCUMENT: &str = "docs/reference/mgp-rows.md";
/// The folder of the tests that show a row at the gateway; each of them is in the document.
const GATEWAY: &str = "crates/testkit/tests/it/guard/";

/// The requirements of §1 to §7 and §14.
#[rustfmt::skip]
const ROWS: [&str; 39] = [
    "1.1", "1.3", "1.4", "1.5", "1.6a", "1.6b", "1.6c", "1.7", "2.2", "2.2e", "2.3", "2.4.1", "2.4.2", "2.4.3", "2.4.4", "2.5", "3.2", "3.3",
    "3.5", "3.6", "4.2", "4.3", "4.4", "4.5", "5.2", "5.4", "5.4x", "5.5", "6.3", "6.3d", "6.4", "6.5", "7.2", "7.3", "7.4", "14.3", "14.4",
    "14.5", "14.6",
];
/// The decisions about what the specification leaves open.
#[rustfmt::skip]
const DECISIONS: [&str; 20] = [
    "D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D11", "D14", "D15", "D16", "D17", "D18", "D26", "D29", "D30", "D32", "D33",
];
/// The kinds of bad input.
const BAD_INPUT: [&str; 12] = [
    "malformed grants",
    "grants for unknown servers or tools",
    "expired dates",
    "an agent calls operators' tools",
    "a server calls the gateway's tools",
    "a server names a tool `mgp.*`",
    "duplicate keys in arguments",
    "an argument of 10 MB",
    "1,000 pending approvals",
    "two operators decide at once",
    "clock jumps",
    "a full disk",
];

/// One line of a table: its subject, and the tests that it names.
#[derive(Debug)]
struct Line<'a> {
    number: usize,
    id: &'a str,
    tests: Vec<&'a str>,
}

/// Checks the document against the sources.
pub(super) fn check(files: &[File]) -> Vec<Violation> {
    let Some(document) = files.iter().find(|file| file.path == DOCUMENT) else {
        return vec![Violation::new(DOCUMENT, 1, "rows", "this is missing")];
    };
    let violation = |line, text: String| Violation::new(DOCUMENT, line, "rows", text);
    let lines = lines(&document.text);
    let mut found = Vec::new();
    for id in ROWS.iter().chain(&DECISIONS).chain(&BAD_INPUT) {
        if !lines.iter().any(|line| line.id == *id) {
            found.push(violation(1, format!("nothing is said of `{id}`")));
        }
    }
    for line in &lines {
        if line.tests.is_empty() {
            found.push(violation(line.number, format!("`{}` has no test", line.id)));
        }
        let gone = line.tests.iter().filter(|test| !is_there(test, files));
        found.extend(gone.map(|test| violation(line.number, format!("there is no test `{test}`"))));
    }
    let named: Vec<&str> = lines
        .iter()
        .flat_map(|line| &line.tests)
        .filter_map(|test| test.rsplit("::").next())
        .collect();
    for file in files.iter().filter(|file| file.path.starts_with(GATEWAY)) {
        for (number, test) in tests_of_rows(&file.text) {
            if !named.contains(&test) {
                let text = format!("`{test}` is named after a row: say so in {DOCUMENT}");
                found.push(Violation::new(&file.path, number, "rows", text));
            }
        }
    }
    found
}

/// Returns the lines of the tables, without their heads: the first cell, and what stands between backticks in the last.
fn lines(document: &str) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    for (at, line) in document.lines().enumerate() {
        let Some(row) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) else {
            continue;
        };
        let (Some(id), Some(last)) = (row.split(" | ").next(), row.rsplit(" | ").next()) else {
            continue;
        };
        if !last.contains("::") && !ROWS.contains(&id) && !DECISIONS.contains(&id) && !BAD_INPUT.contains(&id) {
            continue;
        }
        let tests = last.split('`').skip(1).step_by(2).filter(|text| text.contains("::")).collect();
        found.push(Line { number: at + 1, id, tests });
    }
    found
}

/// Returns whether a test by its path, `module::name`, is a function of the file of that module.
fn is_there(test: &str, files: &[File]) -> bool {
    let Some((module, name)) = test.rsplit_once("::") else {
        return false;
    };
    let path = module.replace("::", "/");
    let is_its = |file: &&File| file.path.ends_with(&format!("/{path}.rs"));
    let declared = format!("fn {name}(");
    files.iter().filter(is_its).any(|file| file.text.contains(&declared))
}

/// Returns the functions that are named after a row, a decision or bad input, with their lines.
fn tests_of_rows(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(at, line)| {
        let name = line.strip_prefix("async fn ")?.split('(').next()?;
        let is_decision = name
            .strip_prefix('d')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let is_row = is_decision || name.starts_with("row_") || name.starts_with("bad_input_");
        is_row.then_some((at + 1, name))
    })
}

#[cfg(test)]
mod tests {
    use super::{File, is_there, lines, tests_of_rows};

    #[test]
    fn a_line_has_an_id_and_tests() {
        let table =
            "| row | asks | tests |\n|---|---|---|\n| 1.1 | nothing new | `guard::a::row_1_1_x`, `b::y` |\n| 1.3 | all four | none |\n";
        let found = lines(table);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((found[0].id, found[0].number, found[0].tests.len()), ("1.1", 3, 2));
        assert!(found[1].tests.is_empty());
    }

    #[test]
    fn a_test_is_a_function_of_its_file() {
        let files = [File {
            path: "crates/testkit/tests/it/guard/a.rs".to_owned(),
            text: "#[tokio::test]\nasync fn row_1_1_x() {}\nasync fn d3_y() {}\nasync fn decide(x: u8) {}\nfn row_of() {}\n".to_owned(),
        }];
        assert!(is_there("guard::a::row_1_1_x", &files) && !is_there("guard::b::row_1_1_x", &files));
        assert!(!is_there("guard::a::row_1_1", &files) && !is_there("row_1_1_x", &files));
        let named: Vec<(usize, &str)> = tests_of_rows(&files[0].text).collect();
        assert_eq!(named, [(2, "row_1_1_x"), (3, "d3_y")]);
    }
}
