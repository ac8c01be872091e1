//! `[servers.mgp]`, MGP §15.2.

use model::{Permission, TrustLevel};

use super::super::choice::Restart;
use super::literal::Literal::Text;
use super::section::section;
use super::setting::{Preset, Setting, choice, permissions, texts};

section! {
    /// What MGP §15.2 lets a file say of a server. Its presence means `era = "legacy"`.
    Table "servers.mgp";

    /// MGP extensions of the server.
    EXTENSIONS: Setting<Vec<String>> = texts("extensions").example(r#"["security", "lifecycle"]"#);

    /// Permissions that it needs, beside those that it asks for itself. Needing is not having: `approved` in `[servers.policy]` gives them,
    /// or a person does.
    PERMISSIONS_REQUIRED: Setting<Vec<Permission>> = permissions("permissions_required")
        .example(r#"["network.outbound"]"#)
        .also(&["permissions"]);

    /// How far it is trusted. What the server claims itself can only lower it. Below `standard`, its word that a tool only reads counts for
    /// nothing.
    TRUST_LEVEL: Preset<TrustLevel> = choice("trust_level").also(&["trust"]).or(Text("standard"));

    /// When it is restarted. Read so that one file serves every MGP client; it has no effect yet, and a warning says so.
    RESTART_POLICY: Setting<Restart> = choice("restart_policy").example(r#""on_failure""#).also(&["restart"]);
}
