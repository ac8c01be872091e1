//! The ten extensions of MGP, and the other names under which peers know them (§2.2, D8).

use std::fmt;

/// One extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Extension {
    /// §3, §4
    Security,
    /// §5
    AccessControl,
    /// §6
    Audit,
    /// §7
    CodeSafety,
    /// §11
    Lifecycle,
    /// §12
    Streaming,
    /// §13
    Bidirectional,
    /// §15
    Discovery,
    /// §16
    ToolDiscovery,
    /// §14
    ErrorHandling,
}

use Extension::{AccessControl, Audit, Bidirectional, CodeSafety, Discovery, ErrorHandling, Lifecycle, Security, Streaming, ToolDiscovery};

/// Later drafts' names for what the founding specification has under one (D8).
const LATER: [(&str, Extension); 5] = [
    ("permissions", Security),
    ("tool_security", Security),
    ("callbacks", Bidirectional),
    ("events", Bidirectional),
    ("progress", Streaming),
];

impl Extension {
    /// All ten, in the order of §2.2.
    pub const ALL: [Self; 10] = [
        Security,
        AccessControl,
        Audit,
        CodeSafety,
        Lifecycle,
        Streaming,
        Bidirectional,
        Discovery,
        ToolDiscovery,
        ErrorHandling,
    ];

    /// Its name in the founding specification.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Security => "security",
            AccessControl => "access_control",
            Audit => "audit",
            CodeSafety => "code_safety",
            Lifecycle => "lifecycle",
            Streaming => "streaming",
            Bidirectional => "bidirectional",
            Discovery => "discovery",
            ToolDiscovery => "tool_discovery",
            ErrorHandling => "error_handling",
        }
    }

    /// By a name of either set.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let founding = Self::ALL.into_iter().find(|extension| extension.as_str() == name);
        founding.or_else(|| LATER.iter().find(|(later, _)| *later == name).map(|(_, extension)| *extension))
    }
}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Some of the ten.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ExtensionSet(u16);

impl ExtensionSet {
    /// None of them.
    pub const NONE: Self = Self(0);

    /// All of them.
    #[must_use]
    pub fn all() -> Self {
        Extension::ALL.into_iter().collect()
    }

    /// Whether it is one of them.
    #[must_use]
    pub fn has(self, extension: Extension) -> bool {
        self.0 & 1 << extension as u16 != 0
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// What both have: the active set of §2.4.1.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// In the order of §2.2.
    pub fn iter(self) -> impl Iterator<Item = Extension> {
        Extension::ALL.into_iter().filter(move |extension| self.has(*extension))
    }

    /// Their names in both sets, the founding ones first: what a peer of unknown age is offered (D8).
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        let later = LATER.iter().filter(|(_, extension)| self.has(*extension)).map(|(name, _)| *name);
        self.iter().map(Extension::as_str).chain(later).collect()
    }
}

impl FromIterator<Extension> for ExtensionSet {
    fn from_iter<I: IntoIterator<Item = Extension>>(extensions: I) -> Self {
        Self(extensions.into_iter().fold(0, |set, extension| set | 1 << extension as u16))
    }
}

impl fmt::Debug for ExtensionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Extension::as_str)).finish()
    }
}
