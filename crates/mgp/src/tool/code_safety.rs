//! The `code_safety` block of a tool (§7.2, §7.3, D26).

use jsonrpc::Raw;

use crate::json::{self, shown};

/// The number of names in one list of a block.
const MOST_NAMES: usize = 1024;

/// The arguments that are code if a block names none (D26).
pub const CODE_ARGUMENTS: [&str; 5] = ["code", "source", "script", "program", "python"];

/// The strictness with which code is judged, from the least (§7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SafetyLevel {
    /// Code is not judged.
    Unrestricted,
    /// Known dangers are refused.
    Standard,
    /// Only allowed imports are accepted, and a maximal size.
    Strict,
    /// As `Strict`, and nothing that writes is accepted.
    Readonly,
}

impl SafetyLevel {
    /// All levels.
    pub const ALL: [Self; 4] = [Self::Unrestricted, Self::Standard, Self::Strict, Self::Readonly];

    /// Returns its word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unrestricted => "unrestricted",
            Self::Standard => "standard",
            Self::Strict => "strict",
            Self::Readonly => "readonly",
        }
    }

    /// Parses a level by its word on the wire.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == word)
    }
}

/// The declaration of a tool that takes code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeSafety {
    /// The strictness; `standard` if the block names none.
    pub level: SafetyLevel,
    /// The language, as the server calls it.
    pub language: Option<String>,
    /// The greatest size in bytes.
    pub max_code_size_bytes: Option<u64>,
    /// The modules that may not be imported.
    pub blocked_imports: Vec<String>,
    /// The texts that may not occur.
    pub blocked_patterns: Vec<String>,
    /// The only modules that may be imported.
    pub allowed_imports: Option<Vec<String>>,
    /// The argument that is the code (D26): an extension of ours.
    pub argument: Option<String>,
}

impl CodeSafety {
    /// Reads a block.
    ///
    /// # Errors
    /// A sentence about what can't be read. The tool is dangerous then, because an unreadable limit can't be enforced.
    pub fn read(raw: &Raw) -> Result<Self, String> {
        let object = raw.object().map_err(|error| format!("`code_safety` can't be read: {error}"))?;
        let text = |key: &str| match object.get(key) {
            None => Ok(None),
            Some(value) => match value.as_str() {
                Some(text) => Ok(Some(text.into_owned())),
                None => Err(format!("`code_safety.{key}` is no text")),
            },
        };
        let list = |key: &str| match object.get(key) {
            None => Ok(None),
            Some(value) => match json::texts(value, MOST_NAMES) {
                Some(names) => Ok(Some(names)),
                None => Err(format!("`code_safety.{key}` is no list of at most {MOST_NAMES} texts")),
            },
        };
        let level = match text("level")? {
            None => SafetyLevel::Standard,
            Some(word) => {
                SafetyLevel::parse(&word).ok_or_else(|| format!("`code_safety.level` is `{}`, which is unknown", shown(&word)))?
            }
        };
        let size = match object.get("max_code_size_bytes") {
            None => None,
            Some(value) => Some(value.as_u64().ok_or("`code_safety.max_code_size_bytes` is no number of bytes")?),
        };
        Ok(Self {
            level,
            language: text("language")?,
            max_code_size_bytes: size,
            blocked_imports: list("blocked_imports")?.unwrap_or_default(),
            blocked_patterns: list("blocked_patterns")?.unwrap_or_default(),
            allowed_imports: list("allowed_imports")?,
            argument: text("argument")?,
        })
    }

    /// Returns the names of a call's arguments that are code: the one that the block names, else those of [`CODE_ARGUMENTS`] that are there. If there
    /// are none, the call is blocked, because a validator that finds nothing to judge has judged nothing (D26).
    #[must_use]
    pub fn arguments<'a>(&'a self, arguments: &Raw) -> Vec<&'a str> {
        match &self.argument {
            Some(name) => arguments.get(name).map(|_| name.as_str()).into_iter().collect(),
            None => CODE_ARGUMENTS.into_iter().filter(|name| arguments.get(name).is_some()).collect(),
        }
    }
}
