//! The files of the project: those that git tracks or would track, and the crate of each.

use std::path::Path;
use std::process::Command;

use super::rust::Code;
use crate::workspace;

/// One text file.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// Its path from the root, with `/`.
    pub(crate) path: String,
    /// Its contents.
    pub(crate) text: String,
}

#[cfg(test)]
impl File {
    /// Makes a file of a test.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }
}

/// Returns every text file of the project, by path.
pub(crate) fn files() -> anyhow::Result<Vec<File>> {
    let root = workspace::root();
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = workspace::output(Command::new("git").current_dir(&root).args(list))?;
    let mut paths: Vec<&str> = listed.split('\0').filter(|path| !path.is_empty()).collect();
    paths.sort_unstable();
    paths.dedup();
    Ok(paths.into_iter().filter_map(|path| read(&root, path)).collect())
}

/// Reads a file. Returns `None` for a deleted one and for one that is not text.
fn read(root: &Path, path: &str) -> Option<File> {
    let text = std::fs::read_to_string(root.join(path)).ok()?;
    Some(File {
        path: path.to_owned(),
        text,
    })
}

/// A Rust file, read.
#[derive(Clone, Debug)]
pub(crate) struct Rust<'a> {
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    /// The whole code.
    pub(crate) code: Code,
    /// The code without tests; empty where the whole file is one.
    pub(crate) product: Option<Code>,
}

impl<'a> Rust<'a> {
    pub(crate) fn of(file: &'a File) -> Option<Self> {
        if !file.path.ends_with(".rs") {
            return None;
        }
        let code = Code::of(&file.text);
        let product = (!is_test(&file.path)).then(|| code.without_tests());
        Some(Self {
            path: &file.path,
            text: &file.text,
            code,
            product,
        })
    }
}

/// Returns whether a file only serves tests, by its path.
pub(crate) fn is_test(path: &str) -> bool {
    let inside = |folder: &str| path.split('/').skip(1).any(|part| part == folder);
    path.ends_with("/tests.rs") || inside("tests") || inside("benches") || inside("examples") || path.starts_with("fuzz/")
}

#[cfg(test)]
mod tests {
    use super::is_test;

    #[test]
    fn tests_are_known_by_their_place() {
        for path in [
            "lib/a/src/b/tests.rs",
            "lib/a/tests/it/main.rs",
            "lib/a/benches/b.rs",
            "sdk/rust/examples/x.rs",
            "crates/c/src/config/tests/y.rs",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in ["examples/minimal/src/lib.rs", "lib/a/src/attest.rs", "xtask/src/main.rs"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
