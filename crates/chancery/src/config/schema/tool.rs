//! `[servers.tools.NAME]`

use model::{Permission, Risk};
use validators::arguments::Validator;

use super::literal::Literal::{Empty, Flag};
use super::section::section;
use super::setting::{Preset, Setting, choice, flag, permissions, validators};

section! {
    /// Settings of one tool, by its own name. The server can raise the risk above the one that is set here, and not
    /// lower it.
    ByName "servers.tools";

    /// The risk of the tool, in place of the inferred one.
    RISK: Setting<Risk> = choice("risk").example(r#""safe""#).also(&["risk_level", "level"]);

    /// Whether a person confirms each call, whatever the risk.
    CONFIRM: Preset<bool> = flag("confirm").example("true").also(&["confirmation_required", "ask"]).or(Flag(false));

    /// The validators that check the tool's arguments, in place of the server's and of the inferred ones.
    VALIDATORS: Setting<Vec<Validator>> = validators("validators").example(r#"["readonly"]"#).also(&["validator"]);

    /// Whether the tool only reads, whatever the server declares: `readonly` then checks its arguments only.
    ONLY_READS: Preset<bool> = flag("only_reads").example("true").also(&["read_only", "readonly"]).or(Flag(false));

    /// Permissions that the tool needs in any case.
    PERMISSIONS: Preset<Vec<Permission>> = permissions("permissions")
        .example(r#"["filesystem.read"]"#)
        .also(&["permissions_required"])
        .or(Empty);
}
