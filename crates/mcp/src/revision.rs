//! The published revisions of MCP, their two eras, and the negotiation of `initialize`.

use std::fmt;

/// The two protocol eras of MCP (2026-07-28 basic/versioning).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// A session that `initialize` opens: up to 2025-11-25.
    Legacy,
    /// Every request stands alone and carries its revision: from 2026-07-28 on.
    Modern,
}

/// A published revision, ordered by age, the oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Revision {
    /// 2024-11-05
    V2024_11_05,
    /// 2025-03-26
    V2025_03_26,
    /// 2025-06-18
    V2025_06_18,
    /// 2025-11-25
    V2025_11_25,
    /// 2026-07-28
    V2026_07_28,
}

impl Revision {
    /// Every revision, the newest first: the order in which the gateway offers them.
    pub const ALL: [Self; 5] = [
        Self::V2026_07_28,
        Self::V2025_11_25,
        Self::V2025_06_18,
        Self::V2025_03_26,
        Self::V2024_11_05,
    ];
    /// The newest revision.
    pub const LATEST: Self = Self::V2026_07_28;
    /// The newest revision that `initialize` can negotiate.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;
    /// The revision of a request over HTTP without `MCP-Protocol-Version` and outside of a session (2025-06-18
    /// basic/transports).
    pub const ASSUMED: Self = Self::V2025_03_26;

    /// Returns the revision's name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Returns the revision of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == text)
    }

    /// Returns the era that the revision belongs to.
    #[must_use]
    pub fn era(self) -> Era {
        if self.is_modern() { Era::Modern } else { Era::Legacy }
    }

    /// Returns whether requests carry their own revision and capabilities.
    #[must_use]
    pub fn is_modern(self) -> bool {
        self >= Self::V2026_07_28
    }

    /// Returns whether a receiver must take JSON-RPC batches (2025-03-26 basic; gone in 2025-06-18).
    #[must_use]
    pub fn has_batches(self) -> bool {
        self == Self::V2025_03_26
    }

    /// Returns whether requests over HTTP carry `MCP-Protocol-Version` (from 2025-06-18 basic/transports on).
    #[must_use]
    pub fn has_version_header(self) -> bool {
        self >= Self::V2025_06_18
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns the revision that answers an `initialize` which asks for `requested`: the same where a handshake can
/// negotiate it, else the newest that can (2025-11-25 basic/lifecycle: the server must answer with another version that
/// it supports, and should choose its latest).
#[must_use]
pub fn negotiate(requested: &str) -> Revision {
    match Revision::parse(requested) {
        Some(revision) if !revision.is_modern() => revision,
        _ => Revision::LATEST_LEGACY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for revision in Revision::ALL {
            assert_eq!(Revision::parse(revision.as_str()), Some(revision));
        }
        for foreign in ["", "2025-11-24", "2026-07-28 ", "DRAFT-2026-v1"] {
            assert_eq!(Revision::parse(foreign), None);
        }
        assert!(Revision::ALL.is_sorted_by(|newer, older| newer > older));
    }

    #[test]
    fn initialize_is_answered_with_a_legacy_revision() {
        let cases = [
            ("2024-11-05", "2024-11-05"),
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("2099-01-01", "2025-11-25"),
            ("", "2025-11-25"),
        ];
        for (requested, answered) in cases {
            assert_eq!(negotiate(requested).as_str(), answered, "for `{requested}`");
        }
    }

    #[test]
    fn eras_part_before_2026_07_28() {
        assert_eq!(Revision::V2025_11_25.era(), Era::Legacy);
        assert_eq!(Revision::V2026_07_28.era(), Era::Modern);
        assert!(Revision::V2025_03_26.has_batches() && !Revision::V2025_06_18.has_batches());
        assert!(!Revision::V2025_03_26.has_version_header() && Revision::V2025_06_18.has_version_header());
    }
}
