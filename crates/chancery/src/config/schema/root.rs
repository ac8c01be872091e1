//! The whole configuration file.

use super::key::Section;
use super::section::section;
use super::setting::{Entries, Setting, table, tables};
use super::{audit, gateway, policy, server, store};

section! {
    /// A configuration file holds the tables `[gateway]`, `[policy]`, `[audit]` and `[store]`, each at most once, and any number of
    /// `[[servers]]`.
    File "";

    /// The settings of the gateway itself.
    GATEWAY: Setting<Entries> = table("gateway", &gateway::SECTION).also(&["proxy", "chancery"]);

    /// The rules of who may do what.
    POLICY: Setting<Entries> = table("policy", &policy::SECTION).also(&["security", "access", "permissions", "acl"]);

    /// The record of what happened.
    AUDIT: Setting<Entries> = table("audit", &audit::SECTION).also(&["audit_log"]);

    /// The store of the gateway.
    STORE: Setting<Entries> = table("store", &store::SECTION).also(&["storage", "database", "state"]);

    /// The MCP servers behind the gateway.
    SERVERS: Setting<Entries> = tables("servers", &server::SECTION).also(&["server", "mcp_servers", "mcpServers", "upstreams", "backends"]);
}

/// Returns every table, each before those inside it.
#[must_use]
pub fn sections() -> Vec<&'static Section> {
    SECTION.with_inner()
}
