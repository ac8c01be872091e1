//! The matrix: which client speaks to which upstream, and through what.

use std::fmt;
use std::str::FromStr;

use anyhow::Context;

/// The era a client or an HTTP upstream speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

impl Era {
    /// The name that `bench-peer` knows it by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}

/// What a gateway stands before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Upstream {
    Http(Era),
    /// A child of the gateway, which speaks the legacy era as nearly all of them do.
    Stdio,
}

impl Upstream {
    /// Its name in the names of files and processes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Http(Era::Legacy) => "http-legacy",
            Self::Http(Era::Modern) => "http-modern",
            Self::Stdio => "stdio",
        }
    }
}

/// A kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cell {
    HttpLegacy,
    HttpModern,
    HttpStdio,
    StdioStdio,
    ModernLegacy,
    LegacyModern,
}

impl Cell {
    /// Every cell.
    pub(crate) const ALL: [Self; 6] = [
        Self::HttpLegacy,
        Self::HttpModern,
        Self::HttpStdio,
        Self::StdioStdio,
        Self::ModernLegacy,
        Self::LegacyModern,
    ];

    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::HttpLegacy => "http-legacy",
            Self::HttpModern => "http-modern",
            Self::HttpStdio => "http-stdio",
            Self::StdioStdio => "stdio-stdio",
            Self::ModernLegacy => "modern-legacy",
            Self::LegacyModern => "legacy-modern",
        }
    }

    /// The cell in a table.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::HttpLegacy => "HTTP → HTTP, legacy session",
            Self::HttpModern => "HTTP → HTTP, 2026-07-28",
            Self::HttpStdio => "HTTP → stdio",
            Self::StdioStdio => "stdio → stdio",
            Self::ModernLegacy => "modern client → legacy server",
            Self::LegacyModern => "legacy client → modern server",
        }
    }

    /// The era of the client.
    pub(crate) fn client(self) -> Era {
        match self {
            Self::HttpModern | Self::ModernLegacy => Era::Modern,
            Self::HttpLegacy | Self::HttpStdio | Self::StdioStdio | Self::LegacyModern => Era::Legacy,
        }
    }

    /// What the gateway stands before.
    pub(crate) fn upstream(self) -> Upstream {
        match self {
            Self::HttpLegacy | Self::ModernLegacy => Upstream::Http(Era::Legacy),
            Self::HttpModern | Self::LegacyModern => Upstream::Http(Era::Modern),
            Self::HttpStdio | Self::StdioStdio => Upstream::Stdio,
        }
    }

    /// The lanes that this kind of call can take. Those that can't speak stdio or bridge eras stand in it all the same
    /// where they are what the gateway is compared with: for the same client, on HTTP to a server of its own era.
    pub(crate) fn lanes(self) -> &'static [Lane] {
        match self {
            Self::HttpLegacy | Self::HttpModern => &[
                Lane::Direct,
                Lane::Chancery,
                Lane::Unguarded,
                Lane::Synced,
                Lane::Hyper,
                Lane::Nginx,
                Lane::McpGateway,
            ],
            Self::HttpStdio => &[Lane::Direct, Lane::Chancery, Lane::Unguarded, Lane::Hyper, Lane::McpGateway],
            Self::StdioStdio => &[Lane::Direct, Lane::Chancery],
            Self::ModernLegacy | Self::LegacyModern => &[Lane::Chancery, Lane::Unbridged, Lane::Hyper],
        }
    }
}

/// A way from the driver to an upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lane {
    /// Nothing between.
    Direct,
    /// Our gateway.
    Chancery,
    /// Our gateway without policy, validators and record.
    Unguarded,
    /// Our gateway, with each event on the disk before the call leaves: `audit.sync = "always"`.
    Synced,
    /// Our gateway, with the same client before a server of its own era.
    Unbridged,
    /// The bare proxy of `bench-peer`, before an HTTP server of the client's era.
    Hyper,
    /// nginx, likewise.
    Nginx,
    /// The crate `mcp-gateway`.
    McpGateway,
}

impl Lane {
    /// Every lane.
    pub(crate) const ALL: [Self; 8] = [
        Self::Direct,
        Self::Chancery,
        Self::Unguarded,
        Self::Synced,
        Self::Unbridged,
        Self::Hyper,
        Self::Nginx,
        Self::McpGateway,
    ];

    /// The name on the command line and in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Chancery => "chancery",
            Self::Unguarded => "unguarded",
            Self::Synced => "synced",
            Self::Unbridged => "unbridged",
            Self::Hyper => "hyper",
            Self::Nginx => "nginx",
            Self::McpGateway => "mcp-gateway",
        }
    }

    /// Whether the lane is our own gateway, whose errors fail the run.
    pub(crate) fn is_ours(self) -> bool {
        matches!(self, Self::Chancery | Self::Unguarded | Self::Synced | Self::Unbridged)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Cell {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> anyhow::Result<Self> {
        let cell = Self::ALL.into_iter().find(|cell| cell.name() == name);
        cell.with_context(|| format!("no cell `{name}`; there are {}", Self::ALL.map(Self::name).join(", ")))
    }
}

impl FromStr for Lane {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> anyhow::Result<Self> {
        let lane = Self::ALL.into_iter().find(|lane| lane.name() == name);
        lane.with_context(|| format!("no lane `{name}`; there are {}", Self::ALL.map(Self::name).join(", ")))
    }
}
