//! The ten extensions of MGP, and their names in later drafts (§2.2, D8).

use std::fmt;

/// An extension of MGP.
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

/// The names of later drafts, each with the extension of the founding specification (D8).
const LATER: [(&str, Extension); 5] = [
    ("permissions", Security),
    ("tool_security", Security),
    ("callbacks", Bidirectional),
    ("events", Bidirectional),
    ("progress", Streaming),
];

impl Extension {
    /// All extensions, in the order of §2.2.
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

    /// Returns its name in the founding specification.
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

    /// Parses an extension by a name of either set.
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

/// A set of extensions.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ExtensionSet(u16);

impl ExtensionSet {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Returns the set of all extensions.
    #[must_use]
    pub fn all() -> Self {
        Extension::ALL.into_iter().collect()
    }

    /// Returns whether the set contains an extension.
    #[must_use]
    pub fn has(self, extension: Extension) -> bool {
        self.0 & 1 << extension as u16 != 0
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the intersection of two sets: the active set of §2.4.1.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Iterates over the extensions, in the order of §2.2.
    pub fn iter(self) -> impl Iterator<Item = Extension> {
        Extension::ALL.into_iter().filter(move |extension| self.has(*extension))
    }

    /// Returns their names in both sets, the founding ones first, to offer them to a peer of unknown age (D8).
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
