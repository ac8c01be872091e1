//! The parts of MCP that both ends of a benchmark use: the revisions, the headers, and the few envelope fields that
//! they read.

use clap::ValueEnum;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The revision that the modern era begins with.
pub(crate) const MODERN: &str = "2026-07-28";
/// The newest revision that opens with `initialize`.
pub(crate) const LEGACY: &str = "2025-11-25";
/// Every revision with `initialize`.
pub(crate) const LEGACY_REVISIONS: [&str; 4] = [LEGACY, "2025-06-18", "2025-03-26", "2024-11-05"];

/// The header that names the revision of a request.
pub(crate) const VERSION_HEADER: &str = "mcp-protocol-version";
/// The header that names a legacy session.
pub(crate) const SESSION_HEADER: &str = "mcp-session-id";

/// The form of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Era {
    /// In a session that `initialize` opened
    Legacy,
    /// On its own, with its revision in `_meta`
    Modern,
}

/// The fields of a request that decide which canned answer it gets. Everything else is skipped.
#[derive(Debug, Deserialize)]
pub(crate) struct Request<'a> {
    #[serde(borrow)]
    pub(crate) id: Option<&'a RawValue>,
    #[serde(default)]
    pub(crate) method: &'a str,
    #[serde(borrow, default)]
    pub(crate) params: Params<'a>,
}

/// The fields of `params` that decide which canned answer a request gets.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Params<'a> {
    #[serde(default)]
    pub(crate) name: &'a str,
    #[serde(default, rename = "protocolVersion")]
    pub(crate) protocol_version: &'a str,
}
