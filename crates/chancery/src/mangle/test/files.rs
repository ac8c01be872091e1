//! Finds test files: those that are named, and in folders those whose names end like tests.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

/// The endings of test files' names.
const ENDS: [&str; 3] = ["_test.mg", "_test.yaml", "_test.yml"];
/// The greatest depth of folders that are searched.
const MAX_DEPTH: usize = 32;
/// The most test files that are read.
const MAX_FILES: usize = 10_000;

/// Returns the test files among and below `named`, in order; below the current folder if nothing is named.
pub(super) fn find(named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let here = [PathBuf::from(".")];
    let named = if named.is_empty() { &here[..] } else { named };
    let mut found = Vec::new();
    for path in named {
        if path.is_dir() {
            let before = found.len();
            below(path, 0, &mut found)?;
            ensure!(
                found.len() > before,
                "`{}` has no test file: their names end in {}",
                path.display(),
                ENDS.join(", ")
            );
        } else {
            found.push(path.clone());
        }
    }
    Ok(found)
}

fn below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    let entries = std::fs::read_dir(folder).with_context(|| format!("failed to read the folder `{}`", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Links are not followed: they may lead in a circle.
        if path.is_dir() && !path.is_symlink() && !name.starts_with('.') {
            below(&path, depth + 1, found)?;
        } else if ENDS.iter().any(|end| name.ends_with(end)) && path.is_file() {
            ensure!(found.len() < MAX_FILES, "there are more than {MAX_FILES} test files: name some");
            found.push(path.strip_prefix(".").unwrap_or(&path).to_path_buf());
        }
    }
    Ok(())
}
