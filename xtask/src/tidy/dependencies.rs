//! Checks licences, bans, duplicates and sources of other authors' packages, by the same `deny.toml` that cargo-deny
//! reads.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use toml::{Table, Value};

use super::tree::File;
use super::violation::Violation;
use crate::workspace;

/// The file with the rules about licences, bans and sources.
const RULES: &str = "deny.toml";
/// How `cargo tree` writes a package: name and version, licence.
const FORMAT: &str = "{p}\t{l}";

/// Checks everything the workspace is built from, on every platform.
pub(crate) fn check(files: &[File]) -> anyhow::Result<Vec<Violation>> {
    let rules = files.iter().find(|file| file.path == RULES).context("there is no deny.toml")?;
    let rules: Table = toml::from_str(&rules.text).context(RULES)?;
    let tree = [
        "tree",
        "--locked",
        "--workspace",
        "--target",
        "all",
        "--edges",
        "normal,build,dev",
        "--prefix",
        "none",
        "--format",
        FORMAT,
    ];
    let packages = packages(&workspace::output(workspace::cargo().args(tree))?);
    let lock = files
        .iter()
        .find(|file| file.path == "Cargo.lock")
        .context("there is no Cargo.lock")?;
    let place = |name: &str| locked(&lock.text, name);
    let mut found = licences(&packages, &rules, place);
    found.extend(bans(&packages, &rules, place));
    found.extend(duplicates(&packages, &rules, place));
    for lock in files.iter().filter(|file| file.path.ends_with("Cargo.lock")) {
        found.extend(sources(lock, &rules));
    }
    Ok(found)
}

/// A package of another author.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: String,
    licence: String,
}

/// Reads the output of `cargo tree`. The project's own packages have a path behind their version.
fn packages(tree: &str) -> BTreeSet<Package> {
    let read = |line: &str| {
        let (package, licence) = line.trim_end_matches(" (*)").split_once('\t')?;
        let mut words = package.split(' ');
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        if words.any(|word| word.starts_with("(/")) {
            return None;
        }
        Some(Package {
            name: name.to_owned(),
            version: version.to_owned(),
            licence: licence.to_owned(),
        })
    };
    tree.lines().filter_map(read).collect()
}

fn texts<'a>(rules: &'a Table, table: &str, key: &str) -> Vec<&'a Value> {
    rules
        .get(table)
        .and_then(|table| table.get(key))
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect()
}

fn locked(lock: &str, name: &str) -> usize {
    let wanted = format!("name = \"{name}\"");
    lock.lines().position(|line| line == wanted).map_or(1, |at| at + 1)
}

fn licences(packages: &BTreeSet<Package>, rules: &Table, place: impl Fn(&str) -> usize) -> Vec<Violation> {
    let allowed: Vec<&str> = texts(rules, "licenses", "allow").into_iter().filter_map(Value::as_str).collect();
    let refused = packages.iter().filter(|package| !is_allowed(&package.licence, &allowed));
    refused
        .map(|package| {
            let text = format!(
                "`{}` is under `{}`, which {RULES} does not allow: use something else, or add the licence",
                package.name, package.licence
            );
            Violation::new("Cargo.lock", place(&package.name), "licences", text)
        })
        .collect()
}

/// Returns whether an SPDX expression can be met with the allowed licences.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    any(&words, &mut at, allowed) && at == words.len()
}

fn any(words: &[&str], at: &mut usize, allowed: &[&str]) -> bool {
    let mut met = all(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        met |= all(words, at, allowed);
    }
    met
}

fn all(words: &[&str], at: &mut usize, allowed: &[&str]) -> bool {
    let mut met = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        met &= one(words, at, allowed);
    }
    met
}

fn one(words: &[&str], at: &mut usize, allowed: &[&str]) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let met = any(words, at, allowed);
        *at += 1;
        return met;
    }
    if words.get(*at) == Some(&"WITH") {
        let exception = words.get(*at + 1).copied().unwrap_or_default();
        *at += 2;
        return allowed.contains(&format!("{word} WITH {exception}").as_str());
    }
    allowed.contains(word)
}

fn bans(packages: &BTreeSet<Package>, rules: &Table, place: impl Fn(&str) -> usize) -> Vec<Violation> {
    let mut found = Vec::new();
    for ban in texts(rules, "bans", "deny") {
        let text = |key: &str| ban.get(key).and_then(Value::as_str);
        let name = text("crate").unwrap_or_default();
        if packages.iter().any(|package| package.name == name) {
            let reason = text("reason").unwrap_or("it is banned");
            let instead = text("use-instead").map_or(String::new(), |instead| format!("; use `{instead}`"));
            let text = format!("`{name}`: {reason}{instead} (`cargo tree -i {name}` says who wants it)");
            found.push(Violation::new("Cargo.lock", place(name), "bans", text));
        }
    }
    found
}

fn duplicates(packages: &BTreeSet<Package>, rules: &Table, place: impl Fn(&str) -> usize) -> Vec<Violation> {
    let skipped: Vec<&str> = texts(rules, "bans", "skip")
        .into_iter()
        .filter_map(|skip| skip.get("crate")?.as_str())
        .collect();
    let is_skipped = |package: &Package| {
        let matches =
            |(name, version): (&str, &str)| package.name == name && format!("{}.", package.version).starts_with(&format!("{version}."));
        skipped.iter().filter_map(|skip| skip.split_once('@')).any(matches)
    };
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages.iter().filter(|package| !is_skipped(package)) {
        versions.entry(&package.name).or_default().push(&package.version);
    }
    let twice = versions.into_iter().filter(|(_, versions)| versions.len() > 1);
    twice
        .map(|(name, versions)| {
            let text = format!(
                "`{name}` is there as {}: agree on one version, or skip one in {RULES} with the reason",
                versions.join(" and ")
            );
            Violation::new("Cargo.lock", place(name), "duplicates", text)
        })
        .collect()
}

fn sources(lock: &File, rules: &Table) -> Vec<Violation> {
    let allowed: Vec<&str> = texts(rules, "sources", "allow-registry")
        .into_iter()
        .filter_map(Value::as_str)
        .collect();
    let lines = lock.text.lines().enumerate();
    let from = lines.filter_map(|(at, line)| Some((at, line.strip_prefix("source = \"")?.trim_end_matches('"'))));
    let strange = from.filter(|(_, source)| !source.strip_prefix("registry+").is_some_and(|registry| allowed.contains(&registry)));
    strange
        .map(|(at, source)| {
            Violation::new(
                &lock.path,
                at + 1,
                "sources",
                format!("`{source}` is no source that {RULES} allows: use a release from the registry"),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests;
