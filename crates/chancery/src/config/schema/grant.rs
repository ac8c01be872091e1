//! `[[policy.grants]]`

use model::{Access, ServerId, Timestamp};

use super::literal::Literal::{Flag, Text};
use super::section::section;
use super::setting::{Preset, Setting, choice, flag, id, instant, text};

section! {
    /// One grant: a principal may, or may not, use a server or a tool. A grant of a tool beats one of its server, and `deny` beats `allow`
    /// at the same level.
    List "policy.grants";

    /// The principal: a name of `gateway.tokens`, the principal of a stored token, or `local`.
    PRINCIPAL: Setting<String> = text("principal").required().example(r#""alice""#).also(&["agent", "agent_id", "user", "who"]);

    /// The server; `kernel` for the gateway's own tools.
    SERVER: Setting<ServerId> = id("server").required().example(r#""files""#).also(&["server_id"]);

    /// The tool, by its own name. Without it, every tool of the server, and its prompts and resources.
    TOOL: Setting<String> = text("tool").example(r#""read_file""#).also(&["tool_name"]);

    /// Whether the principal has access.
    ACCESS: Preset<Access> = choice("access").also(&["effect", "permission"]).or(Text("allow"));

    /// Whether the grant also counts as the confirmation that a dangerous tool needs: no person is asked then.
    CONFIRMS: Preset<bool> = flag("confirms").example("true").also(&["confirmed", "always", "no_confirm"]).or(Flag(false));

    /// The instant from which the grant is not valid any more.
    EXPIRES: Setting<Timestamp> = instant("expires").example(r#""2099-12-31T23:59:59Z""#).also(&["expires_at", "until"]);

    /// The reason, which is recorded in the audit.
    JUSTIFICATION: Setting<String> = text("justification")
        .example(r#""reads the notes for the weekly report""#)
        .also(&["reason", "comment", "why"]);
}
