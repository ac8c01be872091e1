//! The whole file.

use super::key::Section;
use super::section::section;
use super::setting::{Entries, Setting, table, tables};
use super::{audit, gateway, policy, server, store};

section! {
    /// A configuration file holds the tables `[gateway]`, `[policy]`, `[audit]` and `[store]`, each at most once, and any number of
    /// `[[servers]]`.
    File "";

    /// How the gateway itself behaves.
    GATEWAY: Setting<Entries> = table("gateway", &gateway::SECTION).also(&["proxy", "chancery"]);

    /// Who may do what.
    POLICY: Setting<Entries> = table("policy", &policy::SECTION).also(&["security", "access", "permissions", "acl"]);

    /// What is kept of what happened.
    AUDIT: Setting<Entries> = table("audit", &audit::SECTION).also(&["audit_log"]);

    /// Where the gateway remembers.
    STORE: Setting<Entries> = table("store", &store::SECTION).also(&["storage", "database", "state"]);

    /// The MCP servers behind the gateway.
    SERVERS: Setting<Entries> = tables("servers", &server::SECTION).also(&["server", "mcp_servers", "mcpServers", "upstreams", "backends"]);
}

/// Every table, each before those in it.
#[must_use]
pub fn sections() -> Vec<&'static Section> {
    SECTION.with_inner()
}
