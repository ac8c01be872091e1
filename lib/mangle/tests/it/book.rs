//! Checks the guide for rule authors: every program in it is run, and gives the output shown after it.
//!
//! A block ```` ```mangle ```` (perhaps with `now=TIME`, or `extended`) is followed by a block ```` ```text ````:
//! either `error[CODE]`, or facts. For each predicate among these facts, they are all of its facts. In the list of
//! departures `departure=N` says which one an example shows.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use mangle::syntax::Dialect;

use crate::{
    corpus::Rows,
    engine::{Answer, Limits, Source, run},
};

/// A program of the guide and its expected output.
#[derive(Debug)]
struct Example {
    /// The chapter and line.
    place: String,
    now: Option<String>,
    dialect: Dialect,
    program: String,
    result: String,
}

#[test]
fn every_example_of_the_book_does_what_it_says() {
    let examples: Vec<Example> = chapters().iter().flat_map(|chapter| examples(chapter)).collect();
    assert!(examples.len() >= 30, "the book has only {} examples", examples.len());
    let wrong: Vec<String> = examples.iter().filter_map(complaint).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} examples:\n{}",
        wrong.len(),
        examples.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_departure_is_shown_by_an_example() {
    let chapter = chapters()
        .into_iter()
        .find(|file| file.ends_with("departures.md"))
        .expect("the list");
    let text = std::fs::read_to_string(&chapter).expect("it was just listed");
    let number = |row: &str| row.strip_prefix("| ")?.split(" |").next()?.parse::<u32>().ok();
    let listed: Vec<u32> = text.lines().filter_map(number).collect();
    assert_eq!(listed, (1..=listed.len() as u32).collect::<Vec<_>>(), "they are numbered");
    let infos = blocks(&text).into_iter().map(|(_, info, _)| info);
    let shown: BTreeSet<u32> = infos
        .filter_map(|info| {
            info.split_whitespace()
                .find_map(|word| word.strip_prefix("departure=").map(str::to_owned))
        })
        .flat_map(|numbers| numbers.split(',').map(|one| one.parse().expect("a number")).collect::<Vec<u32>>())
        .collect();
    assert_eq!(
        shown.into_iter().collect::<Vec<_>>(),
        listed,
        "examples on the right, departures on the left"
    );
}

fn chapters() -> Vec<PathBuf> {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/use/mangle");
    let entries = std::fs::read_dir(book).expect("the book is part of the project");
    let files = entries.map(|entry| entry.expect("a readable folder").path());
    let mut chapters: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "md")).collect();
    chapters.sort();
    chapters
}

fn examples(chapter: &Path) -> Vec<Example> {
    let text = std::fs::read_to_string(chapter).expect("it was just listed");
    let name = chapter.file_name().unwrap_or_default().to_string_lossy();
    let mut examples = Vec::new();
    let mut blocks = blocks(&text).into_iter().peekable();
    while let Some((line, info, program)) = blocks.next() {
        let Some(options) = info.strip_prefix("mangle") else { continue };
        let place = format!("{name}:{line}");
        let result = blocks.next_if(|(_, info, _)| info == "text");
        let (_, _, result) = result.unwrap_or_else(|| panic!("{place}: no ```text block says what comes of it"));
        let mut options = options.split_whitespace();
        let dialect = if options.clone().any(|word| word == "extended") {
            Dialect::Extended
        } else {
            Dialect::Strict
        };
        examples.push(Example {
            place,
            now: options.find_map(|word| word.strip_prefix("now=")).map(str::to_owned),
            dialect,
            program,
            result,
        });
    }
    examples
}

/// Returns the fenced blocks of a text: line, what follows the fence, content.
fn blocks(text: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String, String)> = None;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(info), None) => open = Some((number + 1, info.to_owned(), String::new())),
            (None, Some((_, _, content))) => *content += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    found
}

/// Returns what is wrong with an example.
fn complaint(example: &Example) -> Option<String> {
    let source = Source {
        name: example.place.clone(),
        text: example.program.clone(),
    };
    let limits = Limits {
        now: example.now.clone(),
        ..Limits::default()
    };
    let wanted = example.result.trim();
    let got = match run(&[source], example.dialect, &limits) {
        Answer::Rejected(codes) => codes.iter().map(|code| format!("error[{code}]")).collect::<Vec<_>>().join("\n"),
        Answer::Stopped(_) => "stopped".to_owned(),
        Answer::Failed(_) => "failed".to_owned(),
        Answer::Facts(rows) => shown(&rows, wanted),
    };
    let right = lines(&got) == lines(wanted);
    (!right).then(|| format!("{}: says\n{wanted}\nbut what comes is\n{got}", example.place))
}

fn lines(text: &str) -> BTreeSet<&str> {
    text.lines().collect()
}

/// Returns the facts of every predicate in `wanted`, in the guide's format.
fn shown(rows: &Rows, wanted: &str) -> String {
    let named: BTreeSet<&str> = wanted.lines().filter_map(|line| line.split('(').next()).collect();
    let temporal: BTreeSet<&str> = wanted
        .lines()
        .filter(|line| line.contains(")@["))
        .filter_map(|line| line.split('(').next())
        .collect();
    let mut lines = Vec::new();
    for (key, rows) in rows {
        let name = key.split('/').next().unwrap_or_default();
        for row in rows.iter().filter(|_| named.contains(name)) {
            lines.push(match row.split_at_checked(row.len().saturating_sub(2)) {
                Some((args, [start, end])) if temporal.contains(name) && start == end => format!("{name}({})@[{start}]", args.join(", ")),
                Some((args, [start, end])) if temporal.contains(name) => format!("{name}({})@[{start}, {end}]", args.join(", ")),
                _ => format!("{name}({})", row.join(", ")),
            });
        }
    }
    lines.join("\n")
}
