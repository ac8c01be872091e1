//! Refuses import cycles among the files of a crate, except those that are allowed.

mod allowed;
mod graph;
mod read;
mod resolve;
mod scope;
mod tokens;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::bail;

use self::allowed::{ALLOWED, Allowed};
use self::graph::Graph;
use super::layers::{CRATES, Crate};
use super::syntax::{self, Trees};
use super::tree;
use super::violation::Violation;

const RULE: &str = "cycles";

/// The file that lists the exceptions.
const TABLE: &str = "xtask/src/tidy/cycles/allowed.rs";

/// Checks every crate of the workspace.
pub(crate) fn check(trees: &Trees<'_>) -> Vec<Violation> {
    CRATES
        .iter()
        .flat_map(|krate| judge(krate, &graph(krate, trees), ALLOWED))
        .collect()
}

/// Prints the import cycles of one crate or of all, with the names that make them. Fails if one of them is not allowed.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let named = match args {
        [] => None,
        [name] => Some(name.as_str()),
        _ => bail!("`cargo xtask tidy cycles` takes the name of one crate, or nothing"),
    };
    let crates: Vec<&Crate> = CRATES.iter().filter(|krate| named.is_none_or(|name| krate.name == name)).collect();
    if crates.is_empty() {
        bail!("there is no crate `{}`", named.unwrap_or_default());
    }
    let files = tree::files()?;
    let trees = syntax::trees(&files)?;
    let mut out = std::io::stdout();
    let mut refused = 0;
    for krate in crates {
        let graph = graph(krate, &trees);
        for group in graph.groups() {
            let allowed = ALLOWED
                .iter()
                .find(|allowed| allowed.krate == krate.name && files_of(krate, allowed).iter().eq(&group));
            let verdict = allowed.map_or("not allowed".to_owned(), |allowed| format!("allowed: {}", allowed.why));
            writeln!(out, "{}: {}  {verdict}\n", krate.name, picture(krate, &graph, &group))?;
        }
        refused += judge(krate, &graph, ALLOWED).len();
    }
    if refused > 0 {
        bail!("{refused} import cycles are not as {TABLE} allows");
    }
    writeln!(out, "tidy: no import cycle but those that are allowed")?;
    Ok(())
}

/// Returns the graph of a crate's files.
pub(crate) fn graph<'a>(krate: &Crate, trees: &'a Trees<'a>) -> Graph<'a> {
    Graph::of(&read::read(krate.name, krate.folder, trees))
}

/// Compares the import cycles of a crate with those that are allowed.
fn judge(krate: &Crate, graph: &Graph<'_>, allowed: &[Allowed]) -> Vec<Violation> {
    let groups = graph.groups();
    let allowed: Vec<(&Allowed, BTreeSet<String>)> = allowed
        .iter()
        .filter(|allowed| allowed.krate == krate.name)
        .map(|allowed| (allowed, files_of(krate, allowed)))
        .collect();
    let lies_in = |group: &BTreeSet<&str>, files: &BTreeSet<String>| group.iter().all(|file| files.contains(*file));
    let mut found: Vec<Violation> = groups
        .iter()
        .filter(|group| !allowed.iter().any(|(_, files)| lies_in(group, files)))
        .map(|group| refusal(krate, graph, group))
        .collect();
    for (entry, files) in &allowed {
        let left = groups.iter().filter(|group| lies_in(group, files));
        if left.clone().any(|group| group.len() == files.len()) {
            continue;
        }
        let left: Vec<String> = left.map(|group| names(krate, group).join(", ")).collect();
        let advice = if left.is_empty() {
            "does not exist any more: take it out of the list".to_owned()
        } else {
            format!("is smaller now: leave only {} in the list", left.join("; and "))
        };
        let text = format!(
            "the import cycle of `{}` that is allowed with {} {advice}",
            krate.name,
            entry.files.join(", ")
        );
        found.push(Violation::new(TABLE, 1, RULE, text));
    }
    found
}

/// Returns the paths of the files of an allowed cycle.
fn files_of(krate: &Crate, allowed: &Allowed) -> BTreeSet<String> {
    allowed.files.iter().map(|file| format!("{}/src/{file}", krate.folder)).collect()
}

/// Says what a cycle consists of and what to do about it.
fn refusal(krate: &Crate, graph: &Graph<'_>, group: &BTreeSet<&str>) -> Violation {
    let first = group.first().copied().unwrap_or(krate.folder);
    let text = format!(
        "{}  move what several of them name to a file that names none of them, or turn an edge around: let the caller pass what is needed; \
         `cargo xtask tidy cycles {}` prints the cycle again",
        picture(krate, graph, group),
        krate.name
    );
    Violation::new(first, 1, RULE, text)
}

/// Returns a cycle in words: its files, and the names on each edge with the line of their first mention.
fn picture(krate: &Crate, graph: &Graph<'_>, group: &BTreeSet<&str>) -> String {
    let mut text = format!("{} files form an import cycle: {}\n", group.len(), names(krate, group).join(", "));
    for from in group {
        for to in group {
            let Some(edge) = graph.edge(from, to) else { continue };
            let named: Vec<String> = edge.iter().map(|(name, line)| format!("{name} ({line})")).collect();
            _ = writeln!(text, "  {} -> {}: {}", short(krate, from), short(krate, to), named.join(", "));
        }
    }
    text
}

/// Returns the paths of a cycle's files from the crate's `src`.
fn names<'a>(krate: &Crate, group: &BTreeSet<&'a str>) -> Vec<&'a str> {
    group.iter().map(|file| short(krate, file)).collect()
}

/// Returns the path of a file from its crate's `src`.
fn short<'a>(krate: &Crate, file: &'a str) -> &'a str {
    let inside = file.strip_prefix(krate.folder).and_then(|rest| rest.strip_prefix("/src/"));
    inside.unwrap_or(file)
}

#[cfg(test)]
mod tests;
