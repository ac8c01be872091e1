//! Determines which files are read, and in which order (MGP §15.2, DESIGN 14).

use std::fmt;
use std::path::{Path, PathBuf};

use super::digest::Digest;
use super::expand::Env;
use super::places::{self, whole};
use super::trust::{self, Known};

/// The sources of a configuration: the command line, the environment and the directory. A reload reads the same sources
/// again.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The environment for lookup and `${VAR}`.
    pub env: Env,
    /// The directory whose `mgp.toml` is used.
    pub cwd: PathBuf,
    /// `--config`: this file and no other.
    pub config: Option<PathBuf>,
    /// `--mcp-json`: these files, after `--config` and instead of any lookup.
    pub mcp_json: Vec<PathBuf>,
    /// `--trust`: project files are used without asking.
    pub trust: bool,
}

/// The reason why a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `--config`
    Option,
    /// `$MGP_CONFIG_PATH`
    Variable,
    /// `./mgp.toml`
    Project,
    /// `~/.config/mgp/servers.toml`
    User,
    /// `--mcp-json`
    McpJson,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Option => "--config",
            Self::Variable => "$MGP_CONFIG_PATH",
            Self::Project => "project",
            Self::User => "user",
            Self::McpJson => "--mcp-json",
        })
    }
}

impl Sources {
    /// Returns the files that would be read, in order, whether they exist or not.
    #[must_use]
    pub fn candidates(&self) -> Vec<(Origin, PathBuf)> {
        let json = self.mcp_json.iter().map(|path| (Origin::McpJson, self.cwd.join(path)));
        if self.config.is_some() || !self.mcp_json.is_empty() {
            let config = self.config.iter().map(|path| (Origin::Option, self.cwd.join(path)));
            return config.chain(json).collect();
        }
        // MGP §15.2, as DESIGN 14 reads it: the variable stands instead of the other two.
        if let Some(path) = self.env.get_filled("MGP_CONFIG_PATH") {
            return vec![(Origin::Variable, self.cwd.join(path))];
        }
        let mut found = vec![(Origin::Project, places::project_config(&self.cwd))];
        found.extend(places::user_config(&self.env).map(|path| (Origin::User, path)));
        found.dedup_by(|a, b| a.1 == b.1);
        found
    }

    /// Returns the identity of the configuration of these sources, whatever the files' present contents.
    #[must_use]
    pub fn identity(&self) -> String {
        let is_read = |origin: Origin, path: &Path| match origin {
            Origin::Project => {
                path.is_file() && (self.trust || std::fs::read(path).is_ok_and(|bytes| trust::known(path, &bytes, &self.env) == Known::Yes))
            }
            Origin::User => path.is_file(),
            Origin::Option | Origin::Variable | Origin::McpJson => true,
        };
        let files = self.candidates().into_iter().filter(|(origin, path)| is_read(*origin, path));
        identity(files.map(|(_, path)| path))
    }
}

/// Returns a digest of the files that a configuration came from.
pub(super) fn identity(files: impl Iterator<Item = PathBuf>) -> String {
    let digest = files.fold(Digest::new("chancery configuration 1"), |digest, path| {
        digest.text(&whole(&path).to_string_lossy())
    });
    digest.finish()
}
