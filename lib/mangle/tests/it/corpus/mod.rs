//! The programs of `tests/data/corpus`: each is one construct of the language, working or failing in one way, with its
//! expected output.

mod run;
mod table;

pub(crate) use run::difference;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use mangle::analysis::Level;
use serde_json::Value as Json;

use crate::engine::{Given, Limits, Outside, Source};

/// Rows of terms by `name/arity`.
pub(crate) type Rows = BTreeMap<String, BTreeSet<Vec<String>>>;

/// One program with its expectation.
#[derive(Debug)]
pub(crate) struct Case {
    pub name: String,
    /// The construct, and the outcome: `works`, or a kind of error.
    pub cell: (String, String),
    /// The reason for a second program in the same cell.
    pub why: Option<String>,
    pub sources: Vec<Source>,
    pub limits: Limits,
    /// The facts; `None` if the program is rejected or stopped.
    pub facts: Option<Rows>,
}

/// Returns all cases, by name.
pub(crate) fn cases() -> Vec<Case> {
    cases_of(&folder())
}

fn cases_of(folder: &Path) -> Vec<Case> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a corpus is a folder")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    files.iter().map(|path| read(path)).collect()
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/corpus")
}

fn read(path: &Path) -> Case {
    let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name in UTF-8").to_owned();
    let text = std::fs::read_to_string(path).expect("it was just listed");
    let json: Json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}.json: {error}"));
    let program = format!("{name}.mg");
    let also = texts(&json["also"]);
    let folder = path.parent().unwrap_or(path);
    let sources = std::iter::once(&*program).chain(also).map(|file| source(folder, file)).collect();
    let number = |key: &str| json[key].as_u64();
    let cell = |at: usize| json["cell"][at].as_str().unwrap_or_default().to_owned();
    Case {
        cell: (cell(0), cell(1)),
        why: json["why"].as_str().map(str::to_owned),
        sources,
        limits: Limits {
            now: json["eval_time"].as_str().map(str::to_owned),
            facts: number("max_derived_facts"),
            steps: number("max_steps"),
            intervals: number("max_intervals_per_atom"),
            outside: Outside {
                levels: texts(&json["levels"]).map(|name| Level::by_name(name).expect("a level")).collect(),
                answers: given(&json["answers"]),
                request: given(&json["request"]),
            },
            seed: 0,
        },
        facts: json["expect"]["facts"]
            .as_object()
            .map(|facts| facts.iter().map(|(key, rows)| (key.clone(), self::rows(rows))).collect()),
        name,
    }
}

fn source(folder: &Path, file: &str) -> Source {
    let text = std::fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    Source {
        name: file.to_owned(),
        text,
    }
}

/// Returns the strings of an optional list.
fn texts(json: &Json) -> impl Iterator<Item = &str> {
    let items = json.as_array().into_iter().flatten();
    items.map(|item| item.as_str().expect("a string"))
}

/// Returns optional rows by predicate.
fn given(json: &Json) -> Given {
    let all = json.as_object().into_iter().flatten();
    let row = |row: &Json| texts(row).map(str::to_owned).collect();
    let rows = |rows: &Json| rows.as_array().expect("rows").iter().map(row).collect();
    all.map(|(label, of)| (label.clone(), rows(of))).collect()
}

fn rows(json: &Json) -> BTreeSet<Vec<String>> {
    let rows = json.as_array().expect("rows").iter();
    rows.map(|row| row.as_array().expect("a row").iter().map(string).collect())
        .collect()
}

fn string(json: &Json) -> String {
    json.as_str().expect("a string").to_owned()
}
