//! Reads the servers in another client's file.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::entry;
use super::imported::{Here, Imported, Note};
use super::interpolate::Inputs;
use crate::config::{Entry, Env, Node, Problem, Problems, Severity, Source, Value, check_server, parse_toml};
use crate::jsonc;

/// Reads a JSON file of any of the known shapes.
pub fn read_json(source: &Arc<Source>, here: Here<'_>, problems: &mut Problems) -> Vec<Imported> {
    match jsonc::parse(source) {
        Ok(root) => read(&root, here, problems),
        Err(problem) => {
            problems.push(problem);
            Vec::new()
        }
    }
}

/// Reads a file of any of the known shapes, by its extension.
pub fn read_text(path: &Path, text: String, here: Here<'_>, problems: &mut Problems) -> Vec<Imported> {
    let name = path.display().to_string();
    if path.extension().is_some_and(|extension| extension == "toml") {
        let source = Source::toml(&name, text);
        let before = problems.iter().count();
        let root = parse_toml(&source, problems);
        return if problems.iter().count() > before {
            Vec::new()
        } else {
            read(&root, here, problems)
        };
    }
    read_json(&Source::json(&name, text), here, problems)
}

fn read(root: &Node, here: Here<'_>, problems: &mut Problems) -> Vec<Imported> {
    let Some(found) = containers(root, here) else {
        let problem = Problem::error("no servers were found in this file")
            .at(&root.place)
            .label("none of the known shapes");
        problems.push(problem.help(
            "servers stand under `mcpServers` (most clients), `servers` (VS Code), `context_servers` (Zed) or `mcp_servers` (Codex)",
        ));
        return Vec::new();
    };
    let inputs = Inputs::of(root, here);
    let mut taken = BTreeSet::new();
    let mut imported = Vec::new();
    for entry in found.iter().flat_map(|container| container.entries()) {
        match usable(entry, &inputs, &mut taken, here.env) {
            Ok(server) => imported.extend(server),
            Err(wrong) => {
                let errors = wrong.into_iter().filter(|problem| problem.severity() == Severity::Error);
                problems.extend(errors.map(|problem| problem.excused(&format!("`{}` is left out", entry.key))));
            }
        }
    }
    imported
}

/// Returns the server of an entry, `None` if that is this gateway itself. An error in one entry does not affect the
/// others.
fn usable(entry: &Entry, inputs: &Inputs<'_>, taken: &mut BTreeSet<String>, env: &Env) -> Result<Option<Imported>, Problems> {
    let Some(mut server) = entry::convert(entry, inputs)? else {
        return Ok(None);
    };
    make_unique(&mut server, entry, taken);
    let wrong = check_server(&server.table, env);
    if wrong.has_errors() {
        taken.remove(&server.id);
        return Err(wrong);
    }
    Ok(Some(server))
}

/// Returns the tables that hold servers by name; `None` if the file has no such table.
fn containers<'a>(root: &'a Node, here: Here<'_>) -> Option<Vec<&'a Node>> {
    let mut found: Vec<&Node> = ["mcpServers", "servers", "context_servers", "mcp_servers"]
        .iter()
        .filter_map(|key| root.get(key))
        .collect();
    if let Some(mcp) = root.get("mcp") {
        // VS Code's older settings.json.
        found.extend(mcp.get("servers").or_else(|| mcp.get("mcpServers")));
    }
    // Claude Code keeps servers of a project under `projects`, by its directory.
    let projects = root.get("projects").map(Node::entries).unwrap_or_default();
    found.extend(
        projects
            .iter()
            .filter(|project| Path::new(&project.key) == here.cwd)
            .filter_map(|project| project.node.get("mcpServers")),
    );
    found.retain(|node| matches!(node.value, Value::Table(_)));
    let bare = |entry: &Entry| {
        ["command", "url", "serverUrl", "httpUrl"]
            .iter()
            .any(|key| entry.node.get(key).is_some())
    };
    if found.is_empty() && !root.entries().is_empty() && root.entries().iter().all(bare) {
        found.push(root);
    }
    (!found.is_empty() || root.get("projects").is_some()).then_some(found)
}

/// Returns an id with a number, no longer than an id may be.
pub(super) fn numbered(id: &str, number: usize) -> String {
    format!("{}-{number}", &id[..id.len().min(60)])
}

/// Numbers ids that two names have in common: the later one gets a number.
fn make_unique(server: &mut Imported, entry: &Entry, taken: &mut BTreeSet<String>) {
    let base = server.id.clone();
    let mut number = 2;
    while !taken.insert(server.id.clone()) {
        server.id = numbered(&base, number);
        number += 1;
    }
    if server.id != entry.key {
        server.notes.push(Note {
            text: format!(
                "`{}` is called `{}` here: ids hold letters, digits, `-`, `_`, `.` only, and are unique",
                entry.key, server.id
            ),
            at: entry.at.clone(),
        });
    }
    if let Value::Table(entries) = &mut server.table.value {
        let id = Node::new(entry.at.clone(), Value::Text(server.id.clone()));
        entries.insert(
            0,
            Entry {
                key: "id".to_owned(),
                at: entry.at.clone(),
                node: id,
            },
        );
    }
}
