//! The map of the kernel in ARCHITECTURE.md, held to the code: which room may use which, and what `upstream` may name of `guard`.

use std::collections::{BTreeMap, BTreeSet};

use super::cycles;
use super::layers::CRATES;
use super::syntax::Trees;
use super::tree::{File, Rust};
use super::violation::Violation;

const RULE: &str = "rooms";
/// The document with the map.
const DOCUMENT: &str = "ARCHITECTURE.md";
/// The lines around the map.
const MARKS: [&str; 2] = ["<!-- begin rooms -->", "<!-- end rooms -->"];
/// What `upstream` may name of `guard`: the permit, which only `guard` makes, and what it gives while a message is written.
const OF_GUARD: [&str; 2] = ["SendPermit", "InFlight"];

/// Checks the map, and what `upstream` names of `guard`.
pub(crate) fn check(files: &[File], trees: &Trees<'_>) -> Vec<Violation> {
    let mut found = narrow(files);
    let Some(kernel) = CRATES.iter().find(|krate| krate.name == "kernel") else {
        return found;
    };
    let Some(document) = files.iter().find(|file| file.path == DOCUMENT) else {
        return found;
    };
    let graph = cycles::graph(kernel, trees);
    let edges = graph
        .edges()
        .filter_map(|(from, to)| Some((room(kernel.folder, from)?, room(kernel.folder, to)?)));
    let used: BTreeSet<(&str, &str)> = edges.filter(|(from, to)| from != to).collect();
    found.extend(compare(&document.text, &used));
    found
}

/// The room of a file: the folder of the kernel that it lies in. Files beside the folders are no room.
fn room<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    let path = path.strip_prefix(folder)?.strip_prefix("/src/")?;
    path.split_once('/').map(|(room, _)| room)
}

/// Compares the map of a document with the arrows between rooms that the code has.
fn compare(document: &str, used: &BTreeSet<(&str, &str)>) -> Vec<Violation> {
    let broken = |line: usize, text: String| Violation::new(DOCUMENT, line, RULE, text);
    let Some((start, map)) = map(document) else {
        return vec![broken(
            1,
            format!("there is no map of the kernel between `{}` and `{}`", MARKS[0], MARKS[1]),
        )];
    };
    let mut found = Vec::new();
    for (from, to) in used {
        if !map.get(from).is_some_and(|uses| uses.contains(to)) {
            found.push(broken(
                start,
                format!("`{from}` uses `{to}`, which the map does not show: turn the arrow around, or draw it"),
            ));
        }
    }
    for (from, uses) in &map {
        for to in uses.iter().filter(|to| !used.contains(&(*from, **to))) {
            found.push(broken(
                start,
                format!("the map says that `{from}` uses `{to}`, and it does not: take the arrow out"),
            ));
        }
    }
    found
}

/// Reads the rows of the map: the first column is a room, the last the rooms that it uses.
fn map(document: &str) -> Option<(usize, BTreeMap<&str, BTreeSet<&str>>)> {
    let start = document.lines().position(|line| line == MARKS[0])?;
    let rows = document.lines().skip(start + 1).take_while(|line| *line != MARKS[1]);
    let mut map = BTreeMap::new();
    for row in rows.filter(|row| row.starts_with("| `")) {
        let columns: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let (Some(room), Some(uses)) = (columns.first(), columns.last()) else {
            continue;
        };
        let uses = uses
            .split(',')
            .map(|name| name.trim().trim_matches('`'))
            .filter(|name| *name != "–");
        map.insert(room.trim_matches('`'), uses.collect());
    }
    Some((start + 1, map))
}

/// Refuses what `upstream` names of `guard` beyond the permit.
fn narrow(files: &[File]) -> Vec<Violation> {
    let sources = files.iter().filter(|file| file.path.starts_with("crates/upstream/src/"));
    let sources = sources.filter_map(Rust::of);
    sources
        .flat_map(|file| {
            let named = names_of_guard(file.code.text());
            let beyond = named.into_iter().filter(|(_, name)| !OF_GUARD.contains(&name.as_str()));
            let path = file.path.to_owned();
            beyond
                .map(move |(line, name)| {
                    let text = format!("`upstream` knows of `guard` the permit alone, not `{name}`: let the caller pass what is needed");
                    Violation::new(&path, line, RULE, text)
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The names behind `guard::`, each with its line.
fn names_of_guard(code: &str) -> Vec<(usize, String)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in code.match_indices("guard::") {
        if code[..at].chars().next_back().is_some_and(|c| is_word(c) || c == ':') {
            continue;
        }
        let line = code[..at].matches('\n').count() + 1;
        let rest = &code[at + "guard::".len()..];
        let names = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default(),
            None => rest.split(|c| !is_word(c)).next().unwrap_or_default(),
        };
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        found.extend(names.map(|name| (line, name.to_owned())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "text\n<!-- begin rooms -->\n| room | owns | uses |\n|---|---|---|\n| `views` | lists | – |\n| `calls` | requests | `views` |\n<!-- end rooms -->\n";

    #[test]
    fn an_arrow_that_the_map_does_not_show_is_refused_and_one_that_it_makes_up_too() {
        assert!(compare(MAP, &[("calls", "views")].into()).is_empty());
        let back = compare(MAP, &[("calls", "views"), ("views", "calls")].into());
        assert!(back.len() == 1 && back[0].text.starts_with("`views` uses `calls`"), "{back:?}");
        let none = compare(MAP, &BTreeSet::new());
        assert!(
            none.len() == 1 && none[0].text.contains("says that `calls` uses `views`"),
            "{none:?}"
        );
        assert_eq!(compare("no map", &BTreeSet::new()).len(), 1);
    }

    #[test]
    fn files_beside_the_folders_are_no_room() {
        assert_eq!(room("crates/kernel", "crates/kernel/src/calls/run.rs"), Some("calls"));
        assert_eq!(room("crates/kernel", "crates/kernel/src/kernel.rs"), None);
    }

    #[test]
    fn every_name_of_guard_is_found() {
        let code = "use guard::{SendPermit, Guard};\nfn f(p: guard::InFlight) { safeguard::x(); }\n";
        let names: Vec<String> = names_of_guard(code).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["SendPermit", "Guard", "InFlight"]);
    }
}
