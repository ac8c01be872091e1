//! Which protocol revisions a server speaks, and to which era each belongs.

/// The two shapes of the protocol (2026-07-28 basic/versioning, "Terminology").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// Revisions with an `initialize` handshake and a session: 2024-11-05 to 2025-11-25.
    Legacy,
    /// Revisions whose every request carries its own metadata: 2026-07-28.
    Modern,
}

/// Which eras a server offers to its clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eras {
    /// Each client is served in the era in which it speaks.
    #[default]
    Both,
    /// Behave like a server written before 2026-07-28.
    Legacy,
    /// Refuse `initialize`, naming the revisions that are spoken.
    Modern,
}

impl Eras {
    pub(crate) fn has(self, era: Era) -> bool {
        match self {
            Self::Both => true,
            Self::Legacy => era == Era::Legacy,
            Self::Modern => era == Era::Modern,
        }
    }
}

/// The modern revisions, newest first.
pub(crate) const MODERN: &[&str] = &["2026-07-28"];
/// The legacy revisions, newest first.
pub(crate) const LEGACY: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The only revision in which JSON-RPC batches must be received (2025-03-26 basic, "Batching").
pub(crate) const BATCHING: &str = "2025-03-26";

/// The revision to answer `initialize` with: the asked one if we know it, else our newest (2025-11-25 basic/lifecycle).
pub(crate) fn negotiate(asked: &str) -> &'static str {
    LEGACY.iter().find(|known| **known == asked).copied().unwrap_or(LEGACY[0])
}
