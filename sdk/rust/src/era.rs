//! The protocol revisions that a server supports, and the era of each.

/// The two shapes of the protocol (2026-07-28 basic/versioning, "Terminology").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// Revisions with an `initialize` handshake and a session: 2024-11-05 to 2025-11-25.
    Legacy,
    /// Revisions whose every request carries its own metadata: 2026-07-28.
    Modern,
}

/// The eras that a server offers to its clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eras {
    /// The server serves each client in the client's era.
    #[default]
    Both,
    /// The server behaves like one written before 2026-07-28.
    Legacy,
    /// The server refuses `initialize`, and names the revisions that it supports.
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

/// Returns the revision to answer `initialize` with: the requested one if we know it, else our newest (2025-11-25
/// basic/lifecycle).
pub(crate) fn negotiate(asked: &str) -> &'static str {
    LEGACY.iter().find(|known| **known == asked).copied().unwrap_or(LEGACY[0])
}
