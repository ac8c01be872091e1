//! `[servers.tools.NAME]`

use model::{Permission, Risk};
use validators::arguments::Validator;

use super::literal::Literal::{Empty, Flag};
use super::section::section;
use super::setting::{Preset, Setting, choice, flag, permissions, validators};

section! {
    /// What you say of one tool, by its own name. A server can raise the risk above what you say, and not lower it.
    ByName "servers.tools";

    /// Its risk, in place of what is inferred.
    RISK: Setting<Risk> = choice("risk").example(r#""safe""#).also(&["risk_level", "level"]);

    /// Whether a person confirms each call, whatever the risk.
    CONFIRM: Preset<bool> = flag("confirm").example("true").also(&["confirmation_required", "ask"]).or(Flag(false));

    /// What its arguments are judged by, in place of the server's and of what is inferred.
    VALIDATORS: Setting<Vec<Validator>> = validators("validators").example(r#"["readonly"]"#).also(&["validator"]);

    /// That it only reads, whatever it says itself: `readonly` then looks at its arguments only.
    ONLY_READS: Preset<bool> = flag("only_reads").example("true").also(&["read_only", "readonly"]).or(Flag(false));

    /// Permissions that it needs in any case.
    PERMISSIONS: Preset<Vec<Permission>> = permissions("permissions")
        .example(r#"["filesystem.read"]"#)
        .also(&["permissions_required"])
        .or(Empty);
}
