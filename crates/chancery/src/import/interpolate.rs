//! Rewrites the variables of other clients as the gateway's.

use std::collections::BTreeMap;
use std::path::Path;

use super::imported::{Here, Note};
use crate::config::{Node, Place, pieces};

/// The meanings of a file's variables: the inputs that VS Code asks its user for (ids with their descriptions), and
/// folders.
#[derive(Debug)]
pub(super) struct Inputs<'a> {
    asked: BTreeMap<String, String>,
    here: Here<'a>,
}

impl<'a> Inputs<'a> {
    /// Returns the inputs of a file.
    pub(super) fn of(root: &Node, here: Here<'a>) -> Self {
        let inputs = root.get("inputs").or_else(|| root.get("mcp")?.get("inputs"));
        let inputs = inputs.map(Node::list).unwrap_or_default().iter();
        let pair = |input: &Node| {
            let description = input.get("description").and_then(Node::text).unwrap_or_default();
            Some((input.get("id")?.text()?.to_owned(), description.to_owned()))
        };
        Self {
            asked: inputs.filter_map(pair).collect(),
            here,
        }
    }
}

/// Rewrites one string: `${env:X}` and `${input:x}` become `${X}`, known folders become paths, unknown variables become
/// literal text.
pub(super) fn rewrite(text: &str, at: &Place, inputs: &Inputs<'_>, notes: &mut Vec<Note>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let inner = &rest[start + 2..];
        let Some(end) = inner.find('}') else { break };
        out.push_str(&rest[..start]);
        out.push_str(&variable(&inner[..end], at, inputs, notes));
        rest = &inner[end + 1..];
    }
    // A `${` without its end is literal text there; here it must be said so.
    out.push_str(&rest.replace("${", "$${"));
    out
}

fn variable(name: &str, at: &Place, inputs: &Inputs<'_>, notes: &mut Vec<Note>) -> String {
    let mut note = |text: String| {
        let note = Note { text, at: at.clone() };
        if !notes.iter().any(|known| known.text == note.text) {
            notes.push(note);
        }
    };
    if let Some(variable) = name.strip_prefix("env:") {
        return format!("${{{variable}}}");
    }
    if let Some(id) = name.strip_prefix("input:") {
        let variable = variable_name(id);
        let description = inputs
            .asked
            .get(id)
            .filter(|text| !text.is_empty())
            .map(|text| format!(" ({text})"))
            .unwrap_or_default();
        note(format!(
            "set the variable `{variable}`: the other client asks for the input `{id}`{description}"
        ));
        return format!("${{{variable}}}");
    }
    match name {
        "userHome" => return "${HOME}".to_owned(),
        "pathSeparator" | "/" => return std::path::MAIN_SEPARATOR.to_string(),
        "workspaceFolder" | "workspaceRoot" => {
            if let Some(folder) = workspace(at, inputs.here) {
                return folder;
            }
            note("`${workspaceFolder}` has no meaning here: replace it with a path".to_owned());
            return "${WORKSPACE_FOLDER}".to_owned();
        }
        _ => {}
    }
    let ours = format!("${{{name}}}");
    if pieces(&ours).is_ok() {
        return ours;
    }
    note(format!("`{ours}` is unknown here and stays as it is"));
    format!("${ours}")
}

/// Returns the project of a file that lies in a project's `.vscode`, `.cursor` …
fn workspace(at: &Place, here: Here<'_>) -> Option<String> {
    let dir = Path::new(at.source().name()).parent()?;
    let hidden = dir.file_name()?.to_str()?;
    let project = matches!(hidden, ".vscode" | ".cursor" | ".zed" | ".gemini");
    // The user's own file lies in such a directory too, but below no project.
    let home = here.home.is_some_and(|home| Some(home) == dir.parent());
    (project && !home)
        .then(|| dir.parent().map(|dir| dir.display().to_string()))
        .flatten()
}

/// Returns an id as the name of a variable: `github-token` becomes `GITHUB_TOKEN`.
fn variable_name(id: &str) -> String {
    let name: String = id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")
    } else {
        name
    }
}
