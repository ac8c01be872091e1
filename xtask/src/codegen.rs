//! `cargo xtask codegen [--check]`: generates the parts of documents that repeat the code.

mod builtins;
mod methods;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use crate::workspace;

/// The advice that `--check` gives.
const ADVICE: &str = "run `cargo xtask codegen`";

/// A document that is generated, or has generated parts.
#[derive(Clone, Debug)]
pub(crate) struct Generated {
    /// The file, from the root.
    pub(crate) path: &'static str,
    /// The text that it should have.
    pub(crate) text: String,
}

/// Writes the documents, or checks them.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let check = match args {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => bail!("say `cargo xtask codegen` or `cargo xtask codegen --check`"),
    };
    let root = workspace::root();
    let mut stale = Vec::new();
    for document in all(&root, &workspace::chancery()?)? {
        let file = root.join(document.path);
        if std::fs::read_to_string(&file).unwrap_or_default() == document.text {
            continue;
        }
        if check {
            stale.push(document.path);
        } else {
            std::fs::write(&file, &document.text).with_context(|| document.path)?;
            eprintln!("wrote {}", document.path);
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    bail!("{} not what the code says: {ADVICE}", stale.join(", "));
}

/// Returns every generated document as it should be; `chancery` is the built gateway.
pub(crate) fn all(root: &Path, chancery: &Path) -> anyhow::Result<Vec<Generated>> {
    let reference = |args: &[&str]| workspace::output(Command::new(chancery).args(["config", "reference"]).args(args));
    let architecture = std::fs::read_to_string(root.join("ARCHITECTURE.md")).context("ARCHITECTURE.md")?;
    Ok(vec![
        Generated {
            path: "docs/reference/configuration.md",
            text: reference(&[])?,
        },
        Generated {
            path: "docs/reference/configuration.schema.json",
            text: reference(&["--json-schema"])?,
        },
        Generated {
            path: "docs/reference/openapi.json",
            text: reference(&["--openapi"])?,
        },
        Generated {
            path: "docs/use/mangle/builtins.md",
            text: builtins::page(),
        },
        Generated {
            path: "ARCHITECTURE.md",
            text: between(&architecture, "methods", &methods::table()?)?,
        },
    ])
}

/// Replaces the text of the document between `<!-- begin NAME -->` and `<!-- end NAME -->`.
fn between(document: &str, name: &str, text: &str) -> anyhow::Result<String> {
    let (begin, end) = (format!("<!-- begin {name}"), format!("<!-- end {name} -->"));
    let marker = document.find(&begin).with_context(|| format!("there is no `{begin}`"))?;
    let start = marker + document[marker..].find('\n').context("the marker has no line of its own")? + 1;
    let stop = start
        + document[start..]
            .find(&end)
            .with_context(|| format!("there is no `{end}` after its beginning"))?;
    Ok(format!("{}{text}{}", &document[..start], &document[stop..]))
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let document = "a\n<!-- begin x, by y -->\nold\n<!-- end x -->\nb\n";
        let changed = between(document, "x", "new\n").expect("markers");
        assert_eq!(changed, "a\n<!-- begin x, by y -->\nnew\n<!-- end x -->\nb\n");
        assert!(between("a", "x", "new").is_err());
    }
}
