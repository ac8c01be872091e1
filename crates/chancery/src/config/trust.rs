//! Remembers which project files a person has confirmed (DESIGN 14): using a file of the current directory starts
//! processes.

use std::path::{Path, PathBuf};

use super::digest::of_bytes;
use super::expand::Env;
use super::places::{replace_file, state_dir, whole};

/// A question to a person about a project file.
#[derive(Clone, Debug)]
pub struct Question {
    /// The file.
    pub path: PathBuf,
    /// Whether an earlier state of it was trusted.
    pub changed: bool,
    /// The programs and addresses that it would start or call: ids and commands, as written in the file.
    pub servers: Vec<(String, String)>,
}

/// How to decide on a project file that is not confirmed yet.
pub enum Trust<'a> {
    /// Only what was confirmed before.
    Recorded,
    /// Everything, this time (`--trust`).
    All,
    /// Ask; a yes is remembered.
    Ask(&'a mut dyn FnMut(&Question) -> bool),
}

impl std::fmt::Debug for Trust<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Trust::Recorded => "Recorded",
            Trust::All => "All",
            Trust::Ask(_) => "Ask",
        })
    }
}

/// The hashes of files that a person has confirmed: one line each, `<sha-256> <path>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trusted {
    file: PathBuf,
}

/// The state of a file's confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Confirmed with its present contents.
    Yes,
    /// Confirmed with other contents.
    Changed,
    /// Never confirmed.
    No,
}

impl Trusted {
    /// Returns the record in a state directory.
    #[must_use]
    pub fn in_dir(state: &Path) -> Self {
        Self {
            file: state.join("trusted"),
        }
    }

    /// Returns whether these bytes of this file were confirmed. A record that can't be read confirms nothing.
    #[must_use]
    pub fn knows(&self, path: &Path, bytes: &[u8]) -> Known {
        let digest = of_bytes(bytes);
        match self.lines().into_iter().find(|(_, known)| known == path) {
            Some((hash, _)) if hash == digest => Known::Yes,
            Some(_) => Known::Changed,
            None => Known::No,
        }
    }

    /// Confirms these bytes of this file, and no earlier ones.
    ///
    /// # Errors
    /// When the record can't be written.
    pub fn confirm(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        let mut lines = self.lines();
        lines.retain(|(_, known)| known != path);
        lines.push((of_bytes(bytes), path.to_path_buf()));
        let text: String = lines.iter().map(|(hash, path)| format!("{hash} {}\n", path.display())).collect();
        replace_file(&self.file, text.as_bytes())
    }

    fn lines(&self) -> Vec<(String, PathBuf)> {
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        let line = |line: &str| line.split_once(' ').map(|(hash, path)| (hash.to_owned(), PathBuf::from(path)));
        text.lines().filter_map(line).collect()
    }
}

/// Returns whether a person has confirmed these bytes of a file.
pub(super) fn known(path: &Path, bytes: &[u8], env: &Env) -> Known {
    let state = state_dir(env).map(|dir| Trusted::in_dir(&dir));
    state.map_or(Known::No, |state| state.knows(&whole(path), bytes))
}
