//! `cargo xtask bench mangle-examples --data DIR`: runs `chancery mangle run` over the examples of the public engine's repository and says
//! where it gives something else than that engine.
//!
//! `DIR` is a checkout of <https://github.com/google/mangle> at the commit that `mangle_examples.json` names. That file holds what each
//! example comes to, as the public engine says: for each predicate how many facts, and a digest of them. What is meant to be different
//! has a sentence that says so.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use serde::Deserialize;

use super::mangle_corpus::{Facts, OVER_BUDGET, REJECTED, facts};
use crate::workspace;

const USAGE: &str = "say `cargo xtask bench mangle-examples --data CHECKOUT_OF_GOOGLE_MANGLE`, and `--chancery FILE` behind it for a gateway that is built already";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    commit: String,
    examples: Vec<Example>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    file: String,
    ends: End,
    /// By predicate: how many facts, and their digest.
    #[serde(default)]
    facts: BTreeMap<String, (usize, String)>,
    /// Why it is not what the public engine does, where it is not.
    departure: Option<String>,
}

#[derive(Deserialize, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum End {
    Facts,
    Rejected,
    Stopped,
}

fn expected() -> anyhow::Result<Expected> {
    serde_json::from_str(include_str!("mangle_examples.json")).context("mangle_examples.json")
}

/// Runs every example.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let (data, chancery) = match args {
        [flag, data] if flag == "--data" => (data, workspace::chancery()?),
        [flag, data, binary, chancery] if flag == "--data" && binary == "--chancery" => (data, PathBuf::from(chancery)),
        _ => bail!(USAGE),
    };
    let expected = expected()?;
    let mut out = std::io::stdout().lock();
    let (mut same, mut departures, mut missed) = (0, 0, 0);
    for example in &expected.examples {
        let file = Path::new(data).join(&example.file);
        if !file.exists() {
            bail!("`{}` is not there: check out commit {}", file.display(), expected.commit);
        }
        match (compare(&file, example, &chancery)?, &example.departure) {
            (Some(miss), _) => {
                missed += 1;
                writeln!(out, "MISS      {}: {miss}", example.file)?;
            }
            (None, Some(why)) => {
                departures += 1;
                writeln!(out, "departure {}: {why}", example.file)?;
            }
            (None, None) => {
                same += 1;
                writeln!(out, "same      {}", example.file)?;
            }
        }
    }
    writeln!(out, "{same} the same, {departures} that depart as documented, {missed} missed")?;
    if missed > 0 {
        bail!("{missed} of {} examples come to something else", expected.examples.len());
    }
    Ok(())
}

/// What is wrong with the answer to an example.
fn compare(file: &Path, example: &Example, chancery: &Path) -> anyhow::Result<Option<String>> {
    let mut command = Command::new(chancery);
    command
        .args(["mangle", "run"])
        .arg(file)
        .args(["--format", "json", "--deadline", "30s"]);
    let answer = command.output().with_context(|| format!("failed to run {command:?}"))?;
    let end = match answer.status.code() {
        Some(0) => End::Facts,
        Some(REJECTED) => End::Rejected,
        Some(OVER_BUDGET) => End::Stopped,
        code => return Ok(Some(format!("ended with {code:?}"))),
    };
    if end != example.ends {
        return Ok(Some(format!("{:?} was expected, and it is {end:?}", example.ends)));
    }
    if end != End::Facts {
        return Ok(None);
    }
    let json = serde_json::from_slice(&answer.stdout).context("the answer is no JSON")?;
    Ok(difference(&summary(&facts(&json, true)?), &example.facts))
}

/// For each predicate how many facts, and their digest.
fn summary(facts: &Facts) -> BTreeMap<String, (usize, String)> {
    let filled = facts.iter().filter(|(_, rows)| !rows.is_empty());
    filled
        .map(|(predicate, rows)| {
            let rows_as_text: Vec<String> = rows.iter().map(|row| row.join("\t")).collect();
            (predicate.clone(), (rows.len(), digest(&rows_as_text.join("\n"))))
        })
        .collect()
}

/// Returns the FNV-1a hash of 64 bits: the sets of facts are ours, so none is made to collide with another.
fn digest(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn difference(got: &BTreeMap<String, (usize, String)>, want: &BTreeMap<String, (usize, String)>) -> Option<String> {
    let all = got.keys().chain(want.keys().filter(|predicate| !got.contains_key(*predicate)));
    let rows = |side: &BTreeMap<String, (usize, String)>, predicate: &String| side.get(predicate).map_or(0, |(rows, _)| *rows);
    let differ = all.filter(|predicate| got.get(*predicate) != want.get(*predicate));
    let said: Vec<String> = differ
        .map(|predicate| {
            format!(
                "`{predicate}` has {} facts, expected {}",
                rows(got, predicate),
                rows(want, predicate)
            )
        })
        .collect();
    (!said.is_empty()).then(|| said.join("; "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{difference, expected, facts, summary};

    #[test]
    fn what_is_expected_can_be_read_and_names_every_departure() {
        let expected = expected().expect("it is written by hand");
        assert!(expected.examples.len() > 20);
        assert!(expected.examples.iter().any(|example| example.departure.is_some()));
    }

    #[test]
    fn facts_are_told_apart_by_more_than_their_number() {
        let of = |rows| summary(&facts(&json!({ "p/1": rows, "q/0": [] }), true).expect("facts"));
        assert_eq!(difference(&of(json!([["1"], ["2"]])), &of(json!([["2"], ["1"]]))), None);
        let other = difference(&of(json!([["1"], ["2"]])), &of(json!([["1"], ["3"]])));
        assert_eq!(other.as_deref(), Some("`p/1` has 2 facts, expected 2"));
    }
}
