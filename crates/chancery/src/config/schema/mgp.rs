//! `[servers.mgp]`, MGP §15.2.

use model::{Permission, TrustLevel};

use super::super::choice::Restart;
use super::literal::Literal::Text;
use super::section::section;
use super::setting::{Preset, Setting, choice, permissions, texts};

section! {
    /// The server's settings of MGP §15.2. If the table is present, `era` is `"legacy"` by default.
    Table "servers.mgp";

    /// MGP extensions of the server.
    EXTENSIONS: Setting<Vec<String>> = texts("extensions").example(r#"["security", "lifecycle"]"#);

    /// Permissions that the server needs, beside those that it asks for itself. This does not give them: `approved` in
    /// `[servers.policy]` does, or a person.
    PERMISSIONS_REQUIRED: Setting<Vec<Permission>> = permissions("permissions_required")
        .example(r#"["network.outbound"]"#)
        .also(&["permissions"]);

    /// The level of trust in the server. The server's own claim can only lower it. Below `standard`, its claim that a
    /// tool only reads is ignored.
    TRUST_LEVEL: Preset<TrustLevel> = choice("trust_level").also(&["trust"]).or(Text("standard"));

    /// When the server is restarted. The key is accepted so that one file serves every MGP client; it has no effect
    /// yet, and a warning says so.
    RESTART_POLICY: Setting<Restart> = choice("restart_policy").example(r#""on_failure""#).also(&["restart"]);
}
