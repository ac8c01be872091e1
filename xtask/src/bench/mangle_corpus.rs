//! `cargo xtask bench mangle-corpus --data DIR`: runs `chancery mangle run` over a folder of programs and says where it disagrees with what
//! stands beside them.
//!
//! A folder holds `NAME.mg` and `NAME.json`: `expect` with `accept` and, if it is true, the `facts` by `predicate/arity`; perhaps `eval_time`,
//! `max_derived_facts`, `max_steps`, `max_intervals_per_atom`, `list_order_free`, and `also` with further files of the program.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::workspace;

const USAGE: &str = "say `cargo xtask bench mangle-corpus --data DIR`, and `--chancery FILE` behind it for a gateway that is built already";

/// The exit codes of `chancery mangle run`.
pub(super) const REJECTED: i32 = 1;
pub(super) const OVER_BUDGET: i32 = 3;

/// Rows in ascending order, by predicate.
pub(super) type Facts = BTreeMap<String, Vec<Vec<String>>>;

/// Runs every program of the folder.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let (data, chancery) = match args {
        [flag, data] if flag == "--data" => (data, workspace::chancery()?),
        [flag, data, binary, chancery] if flag == "--data" && binary == "--chancery" => (data, PathBuf::from(chancery)),
        _ => bail!(USAGE),
    };
    let programs = programs(Path::new(data))?;
    let mut out = std::io::stdout().lock();
    let mut missed = 0;
    for program in &programs {
        if let Some(miss) = compare(program, &chancery).with_context(|| program.display().to_string())? {
            missed += 1;
            writeln!(out, "{}: {miss}", program.display())?;
        }
    }
    writeln!(out, "agree {}, disagree {missed}", programs.len() - missed)?;
    if missed > 0 {
        bail!("{missed} of {} programs disagree", programs.len());
    }
    Ok(())
}

/// The programs with an expectation beside them, by name.
fn programs(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "mg") && path.with_extension("json").exists() {
            found.push(path);
        }
    }
    found.sort();
    if found.is_empty() {
        bail!("{} holds no `.mg` with a `.json` beside it", folder.display());
    }
    Ok(found)
}

/// What is wrong with the answer to a program.
fn compare(program: &Path, chancery: &Path) -> anyhow::Result<Option<String>> {
    let beside: Value = serde_json::from_slice(&std::fs::read(program.with_extension("json"))?)?;
    let answer = ask(program, &beside, chancery)?;
    let accepted = beside["expect"]["accept"].as_bool().context("no `expect.accept`")?;
    let says = String::from_utf8_lossy(&answer.stderr);
    Ok(match (answer.status.code(), accepted) {
        (Some(0), true) => {
            let got = serde_json::from_slice(&answer.stdout).context("the answer is no JSON")?;
            let free = beside["list_order_free"].as_bool().unwrap_or_default();
            difference(&facts(&got, free)?, &facts(&beside["expect"]["facts"], free)?)
        }
        (Some(REJECTED | OVER_BUDGET), false) => None,
        (Some(0), false) => Some("accepted, but it is to be rejected".to_owned()),
        (Some(REJECTED | OVER_BUDGET), true) => Some(format!(
            "rejected: {}{}",
            says.trim_end(),
            String::from_utf8_lossy(&answer.stdout).trim_end()
        )),
        (code, _) => Some(format!("ended with {code:?}: {}", says.trim_end())),
    })
}

fn ask(program: &Path, beside: &Value, chancery: &Path) -> anyhow::Result<Output> {
    let mut command = Command::new(chancery);
    command
        .args(["mangle", "run"])
        .arg(program)
        .args(["--format", "json", "--deadline", "30s"]);
    for also in beside["also"].as_array().into_iter().flatten() {
        command.arg(program.with_file_name(also.as_str().context("`also` names files")?));
    }
    if let Some(now) = beside["eval_time"].as_str() {
        command.args(["--eval-time", now]);
    }
    for (key, flag) in [
        ("max_derived_facts", "--max-facts"),
        ("max_steps", "--max-steps"),
        ("max_intervals_per_atom", "--max-intervals"),
    ] {
        if let Some(limit) = beside[key].as_u64() {
            command.args([flag, &limit.to_string()]);
        }
    }
    command.output().with_context(|| format!("failed to run {command:?}"))
}

/// The rows of a `facts` object. With `free`, the elements of lists are put in order, as what a group collects has none.
pub(super) fn facts(json: &Value, free: bool) -> anyhow::Result<Facts> {
    let mut facts = Facts::new();
    for (predicate, rows) in json.as_object().context("`facts` is no object")? {
        let row = |row: &Value| -> anyhow::Result<Vec<String>> {
            let terms = row.as_array().context("a row is no array")?.iter();
            let text = |term: &Value| term.as_str().map(|term| if free { in_order(term) } else { term.to_owned() });
            terms.map(|term| text(term).context("a term is no string")).collect()
        };
        let mut rows = rows
            .as_array()
            .context("rows are no array")?
            .iter()
            .map(row)
            .collect::<anyhow::Result<Vec<_>>>()?;
        rows.sort();
        facts.insert(predicate.clone(), rows);
    }
    Ok(facts)
}

/// A list with its elements in ascending order; anything else as it is. Elements with commas of their own may be cut apart, which does
/// the comparison no harm.
fn in_order(term: &str) -> String {
    match term.strip_prefix('[').and_then(|term| term.strip_suffix(']')) {
        Some(inner) => {
            let mut elements: Vec<&str> = inner.split(", ").collect();
            elements.sort_unstable();
            format!("[{}]", elements.join(", "))
        }
        None => term.to_owned(),
    }
}

/// The first few rows that only one side has.
fn difference(got: &Facts, want: &Facts) -> Option<String> {
    const SHOWN: usize = 5;
    let lines = |sign: char, left: &Facts, right: &Facts| -> Vec<String> {
        let missing = |(predicate, rows): (&String, &Vec<Vec<String>>)| {
            let other = right.get(predicate).cloned().unwrap_or_default();
            let only: Vec<String> = rows
                .iter()
                .filter(|row| !other.contains(row))
                .map(|row| format!("\n  {sign} {predicate} ({})", row.join(", ")))
                .collect();
            only
        };
        left.iter().flat_map(missing).take(SHOWN).collect()
    };
    let more = lines('+', got, want);
    let less = lines('-', want, got);
    let same = more.is_empty() && less.is_empty();
    // Two terms of different kinds may print alike: then a row stands twice.
    let counts = |facts: &Facts| {
        facts
            .iter()
            .map(|(key, rows)| (key.clone(), rows.len()))
            .filter(|(_, len)| *len > 0)
            .collect::<Vec<_>>()
    };
    if same && counts(got) != counts(want) {
        return Some("a row stands more often or less often than expected".to_owned());
    }
    (!same).then(|| [more, less].concat().concat())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{difference, facts, in_order};

    #[test]
    fn rows_are_compared_in_any_order() {
        let got = facts(&json!({"p/1": [["2"], ["1"]], "q/0": [[]]}), false).expect("facts");
        let want = facts(&json!({"q/0": [[]], "p/1": [["1"], ["2"]]}), false).expect("facts");
        assert_eq!(difference(&got, &want), None);
    }

    #[test]
    fn a_row_too_many_is_shown() {
        let got = facts(&json!({"p/1": [["1"], ["2"]]}), false).expect("facts");
        let want = facts(&json!({"p/1": [["1"], ["1.5"]]}), false).expect("facts");
        assert_eq!(difference(&got, &want).as_deref(), Some("\n  + p/1 (2)\n  - p/1 (1.5)"));
    }

    #[test]
    fn lists_may_be_compared_as_bags() {
        assert_eq!(in_order("[/b, /a]"), "[/a, /b]");
        assert_eq!(in_order("\"[x\""), "\"[x\"");
    }
}
