//! Checks the manifests: dependencies between crates, versions in one place, lints for all, nothing that is not used.

use std::collections::BTreeSet;

use anyhow::Context;
use toml::{Table, Value};

use super::layers::{self, Arrow, CRATES, Crate};
use super::rust::Code;
use super::tree::File;
use super::violation::Violation;

/// The names of a manifest's tables of dependencies, and whether only tests have them.
const TABLES: [(&str, bool); 3] = [("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)];

/// Checks every manifest of the workspace.
pub(crate) fn check(files: &[File]) -> anyhow::Result<Vec<Violation>> {
    let mut found = Vec::new();
    let mut used = BTreeSet::new();
    for file in files.iter().filter(|file| is_member(&file.path)) {
        let manifest: Table = toml::from_str(&file.text).with_context(|| file.path.clone())?;
        found.extend(member(file, &manifest, files, &mut used));
    }
    let root = files
        .iter()
        .find(|file| file.path == "Cargo.toml")
        .context("there is no Cargo.toml")?;
    found.extend(unused_versions(root, &used)?);
    Ok(found)
}

/// `fuzz` and `peers` are workspaces of their own.
fn is_member(path: &str) -> bool {
    path.ends_with("/Cargo.toml") && !path.starts_with("fuzz/") && !path.starts_with("peers/")
}

fn member(file: &File, manifest: &Table, files: &[File], used: &mut BTreeSet<String>) -> Vec<Violation> {
    let mut found = Vec::new();
    let name = manifest
        .get("package")
        .and_then(|package| package.get("name"))
        .and_then(Value::as_str)
        .unwrap_or_default();
    let inherits = |table: &str| {
        manifest
            .get(table)
            .and_then(|table| table.get("workspace"))
            .and_then(Value::as_bool)
            == Some(true)
    };
    if !inherits("lints") {
        found.push(Violation::new(
            &file.path,
            1,
            "lints",
            "add `[lints] workspace = true`: the same lints hold everywhere",
        ));
    }
    let known: Option<&Crate> = CRATES.iter().find(|krate| krate.name == name);
    if let Some(krate) = known.filter(|krate| format!("{}/Cargo.toml", krate.folder) != file.path) {
        let text = format!("`{name}` belongs in {}, as the table of crates has it", krate.folder);
        found.push(Violation::new(&file.path, 1, "folders", text));
    }
    if known.is_none() {
        found.extend(layers::check(&Arrow {
            from: name,
            to: "",
            place: (&file.path, 1),
            dev: false,
        }));
    }
    let features = manifest.get("features").map(Value::to_string).unwrap_or_default();
    for (table, dev) in TABLES {
        for (dependency, how) in manifest.get(table).and_then(Value::as_table).into_iter().flatten() {
            used.insert(dependency.clone());
            let place = (file.path.as_str(), line_of(&file.text, table, dependency));
            if how.get("workspace").and_then(Value::as_bool) != Some(true) {
                let text =
                    format!("the version of `{dependency}` belongs into `[workspace.dependencies]`; write `{dependency}.workspace = true`");
                found.push(Violation::new(place.0, place.1, "versions", text));
            }
            if known.is_some() {
                found.extend(layers::check(&Arrow {
                    from: name,
                    to: dependency,
                    place,
                    dev,
                }));
            }
            if !is_named(dependency, file, files, dev) && !features.contains(dependency.as_str()) {
                let advice = if is_named(dependency, file, files, true) {
                    "only tests name it: move it to dev-dependencies"
                } else {
                    "remove it"
                };
                let text = format!("nothing in `{name}` names `{dependency}`: {advice}");
                found.push(Violation::new(place.0, place.1, "unused", text));
            }
        }
    }
    found
}

/// Returns whether a crate's code names a dependency. What only tests name is found for dev-dependencies only.
fn is_named(dependency: &str, manifest: &File, files: &[File], dev: bool) -> bool {
    let folder = manifest.path.trim_end_matches("Cargo.toml");
    let word = dependency.replace('-', "_");
    let concerns = |path: &str| {
        path.strip_prefix(folder)
            .is_some_and(|rest| dev || !rest.starts_with("tests/") && !rest.starts_with("benches/"))
    };
    let mut sources = files.iter().filter(|file| file.path.ends_with(".rs") && concerns(&file.path));
    sources.any(|file| file.text.contains(&word) && !Code::of(&file.text).lines_with(&word).is_empty())
}

/// Returns the line of a dependency in a table of its manifest.
fn line_of(manifest: &str, table: &str, dependency: &str) -> usize {
    let header = format!("[{table}]");
    let lines = manifest.lines().enumerate().skip_while(|(_, line)| line.trim() != header).skip(1);
    let starts = |line: &str| line.strip_prefix(dependency).is_some_and(|rest| rest.starts_with([' ', '.', '=']));
    lines
        .take_while(|(_, line)| !line.starts_with('['))
        .find(|(_, line)| starts(line))
        .map_or(1, |(at, _)| at + 1)
}

fn unused_versions(root: &File, used: &BTreeSet<String>) -> anyhow::Result<Vec<Violation>> {
    let manifest: Table = toml::from_str(&root.text).context("Cargo.toml")?;
    let versions = manifest
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(Value::as_table);
    let unused = versions.into_iter().flatten().filter(|(name, _)| !used.contains(*name));
    Ok(unused
        .map(|(name, _)| {
            let line = line_of(&root.text, "workspace.dependencies", name);
            Violation::new(&root.path, line, "unused", format!("no crate uses `{name}`: remove it"))
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::{check, line_of};
    use crate::tidy::tree::File;

    fn rules(manifest: &str, code: &str) -> Vec<(&'static str, usize)> {
        let files = [
            File::new("Cargo.toml", "[workspace.dependencies]\nbytes = \"1\"\nidle = \"1\"\n"),
            File::new("lib/jsonrpc/Cargo.toml", manifest),
            File::new("lib/jsonrpc/src/lib.rs", code),
        ];
        let found = check(&files).expect("manifests");
        found
            .into_iter()
            .filter(|found| found.file != "Cargo.toml")
            .map(|found| (found.rule, found.line))
            .collect()
    }

    const HEAD: &str = "[package]\nname = \"jsonrpc\"\n[lints]\nworkspace = true\n[dependencies]\n";

    #[test]
    fn what_no_code_names_is_unused() {
        let manifest = format!("{HEAD}bytes.workspace = true\n");
        assert!(rules(&manifest, "use bytes::Bytes;").is_empty());
        assert_eq!(rules(&manifest, "// bytes\n"), [("unused", 6)]);
    }

    #[test]
    fn versions_stand_in_one_place() {
        assert_eq!(rules(&format!("{HEAD}bytes = \"1\"\n"), "use bytes::Bytes;"), [("versions", 6)]);
    }

    #[test]
    fn every_crate_has_the_lints_and_a_row() {
        assert_eq!(rules("[package]\nname = \"jsonrpc\"\n", ""), [("lints", 1)]);
        assert_eq!(rules("[package]\nname = \"new\"\n[lints]\nworkspace = true\n", ""), [("arrows", 1)]);
    }

    #[test]
    fn a_version_that_nobody_uses_is_found() {
        let files = [File::new("Cargo.toml", "[workspace.dependencies]\n# theirs\nidle = \"1\"\n")];
        let found = check(&files).expect("manifests");
        assert_eq!((found[0].rule, found[0].line), ("unused", 3));
    }

    #[test]
    fn a_dependency_is_found_in_its_own_table() {
        let text = "[dependencies]\na = 1\n[dev-dependencies]\ntokio = 1\n";
        assert_eq!(line_of(text, "dev-dependencies", "tokio"), 4);
        assert_eq!(line_of(text, "dependencies", "tokio"), 1);
    }
}
