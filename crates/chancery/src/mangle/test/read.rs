//! Reads a test file in either of its two forms.

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::{
    marked,
    suite::{Suite, heads},
    yaml,
};

/// Reads a file in the form that its name tells.
pub(super) fn read_suite(file: &Path, text: &str) -> anyhow::Result<Suite> {
    let is_yaml = file.extension().is_some_and(|end| end == "yaml" || end == "yml");
    let mut suite = if is_yaml {
        yaml::read(file, text)
    } else {
        marked::read(file, text)
    }?;
    suite.name = file.display().to_string();
    if suite.rules.is_empty() {
        suite.rules.extend(default_rules(file).filter(|rules| rules.is_file()));
    }
    suite.given = suite.cases.iter().flat_map(|case| heads(&case.texts.given)).collect();
    if suite.cases.is_empty() {
        bail!(
            "`{}` has no case: begin one with `#: case NAME`, in YAML with `- name:`",
            suite.name
        );
    }
    Ok(suite)
}

/// Returns the rules that a test file tests if it names none: `X.mg` for `X_test.mg` and `X_test.yaml`.
fn default_rules(file: &Path) -> Option<PathBuf> {
    let stem = file.file_stem()?.to_str()?.strip_suffix("_test")?;
    Some(file.with_file_name(format!("{stem}.mg")))
}
