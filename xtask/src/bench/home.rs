//! Where the processes of one run keep their files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The directory of one run, removed with its value.
#[derive(Debug)]
pub(crate) struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    /// A new directory.
    pub(crate) fn create() -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("chancery-bench-").tempdir();
        Ok(Self {
            folder: folder.context("failed to create a directory for the run")?,
        })
    }

    /// A directory below it, which is there afterwards.
    pub(crate) fn directory(&self, name: &str) -> anyhow::Result<PathBuf> {
        let path = self.file(name);
        fs::create_dir_all(&path).with_context(|| format!("failed to create {}", path.display()))?;
        Ok(path)
    }

    /// The log of the process `name`.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.file(&format!("{name}.log"))
    }

    /// A file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Writes a file that others can't read: some gateways refuse a configuration that they can.
pub(crate) fn write_private(file: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(file, text)?;
    make_private(file)
}

#[cfg(unix)]
fn make_private(file: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(file, fs::Permissions::from_mode(0o600))?)
}

#[cfg(not(unix))]
fn make_private(_file: &Path) -> anyhow::Result<()> {
    Ok(())
}
