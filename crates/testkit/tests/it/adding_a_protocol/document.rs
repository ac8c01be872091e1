//! The blocks of `docs/develop/adding-a-protocol.md` are regions of files that are compiled: the document shows what the tests run.

use std::path::Path;

const DOCUMENT: &str = "docs/develop/adding-a-protocol.md";
/// What stands before a block that is a region of a file.
const MARK: &str = "<!-- region ";

/// Returns the lines of a region, without its indentation.
fn region(path: &str, name: &str) -> String {
    let file = std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let begin = format!("// region: {name}");
    let lines: Vec<&str> = file.lines().collect();
    let start = lines.iter().position(|line| line.trim() == begin);
    let start = start.unwrap_or_else(|| panic!("{path} has no `{begin}`")) + 1;
    let inner = lines[start..].iter().take_while(|line| line.trim() != "// endregion");
    let inner: Vec<&str> = inner.copied().collect();
    let indent = inner
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| line.len() - line.trim_start().len());
    let indent = indent.min().unwrap_or_default();
    inner
        .iter()
        .map(|line| line.get(indent..).unwrap_or_default().to_owned() + "\n")
        .collect()
}

fn root() -> &'static Path {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent);
    crates.expect("the crate is two folders below the root")
}

/// Writes each region of a document anew.
fn written(document: &str) -> (String, usize) {
    let (mut text, mut regions, mut lines) = (String::new(), 0, document.lines());
    while let Some(line) = lines.next() {
        text += &format!("{line}\n");
        let Some(named) = line.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        let (path, name) = named.split_once('#').unwrap_or_else(|| panic!("`{line}` names no region"));
        assert_eq!(lines.next(), Some("```rust"), "a block of Rust follows {line}");
        let closed = lines.by_ref().any(|line| line == "```");
        assert!(closed, "the block after {line} has an end");
        text += &format!("```rust\n{}```\n", region(path, name));
        regions += 1;
    }
    (text, regions)
}

#[test]
fn the_document_shows_the_code_that_is_compiled() {
    let path = root().join(DOCUMENT);
    let document = std::fs::read_to_string(&path).expect("the document is there");
    let (text, regions) = written(&document);
    assert!(regions >= 4, "{regions} blocks are regions of files");
    let blocks = document.lines().filter(|line| *line == "```rust").count();
    assert_eq!(blocks, regions, "each block of Rust is a region of a file");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &text).expect("the document can be written");
    } else {
        assert!(
            text == document,
            "{DOCUMENT} is behind the code: run the tests with UPDATE_EXPECT=1"
        );
    }
}
