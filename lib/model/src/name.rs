//! Names of servers and of what they offer.

use std::fmt;
use std::sync::Arc;

/// The configured id of a server: 1 to 64 of `A-Z a-z 0-9 _ - .`, unique in a configuration.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServerId(Arc<str>);

/// The reason why a text is not a server id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerIdError {
    text: String,
}

impl fmt::Display for ServerIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "accept `{}` as a server id: use 1 to 64 letters, digits, `-`, `_` or `.`",
            self.text
        )
    }
}

impl std::error::Error for ServerIdError {}

impl ServerId {
    /// Checks `text` and returns it as an id.
    ///
    /// # Errors
    /// When the text is empty, longer than 64 characters, holds another character, or holds `__`, which separates a
    /// server from its tool on the wire (DESIGN 3).
    pub fn new(text: &str) -> Result<Self, ServerIdError> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if text.is_empty() || text.len() > 64 || !text.chars().all(allowed) || text.contains("__") {
            return Err(ServerIdError {
                text: text.chars().take(80).collect(),
            });
        }
        Ok(Self(text.into()))
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ServerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// A tool (or a prompt) of a server, by the name its own server gives it; written `server/tool`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolId {
    /// The server that offers the tool.
    pub server: ServerId,
    /// The tool's name on that server.
    pub name: Arc<str>,
}

impl ToolId {
    /// Reads `server/tool`; none when the text has another form, or its first part is no server id.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (server, name) = text.split_once('/').filter(|(_, name)| !name.is_empty())?;
        let server = ServerId::new(server).ok()?;
        Some(Self { server, name: name.into() })
    }
}

impl fmt::Display for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.server, self.name)
    }
}
