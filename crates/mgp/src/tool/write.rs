//! Writes a tool's security for clients: MGP clients read it in both carriers (D6), the others not at all (§2.4.3).

use jsonrpc::{ObjectBuilder, Raw};

use super::{Assessment, SideEffect};
use crate::carrier::{self, EXTENSION, META, MGP};

/// Adds the assessment of a tool to its definition, in `security` and in `_meta`, for clients that negotiated `security`.
#[must_use]
pub fn with_security(tool: &Raw, assessment: &Assessment) -> Raw {
    let code_safety = tool.at(&["security", "code_safety"]);
    let security = object(assessment, code_safety.as_ref());
    let edit = tool
        .edit()
        .set(&["security"], &security)
        .set(&[META, EXTENSION, "security"], &security);
    if tool.get(MGP).is_some() { edit.remove(&[MGP]) } else { edit }.finish()
}

/// Removes MGP's members from a definition, for clients that did not ask for them. Without such members its bytes are unchanged.
#[must_use]
pub fn strip(tool: &Raw) -> Raw {
    let edit = carrier::strip_from(tool.edit(), tool);
    if tool.get("security").is_some() {
        edit.remove(&["security"])
    } else {
        edit
    }
    .finish()
}

fn object(assessment: &Assessment, code_safety: Option<&Raw>) -> Raw {
    let members = ObjectBuilder::new()
        .text("risk_level", assessment.risk.as_str())
        .texts(
            "permissions_required",
            assessment.permissions.iter().flatten().map(model::Permission::as_str),
        )
        .texts("side_effects", assessment.side_effects.iter().map(SideEffect::as_str))
        .maybe_text("validator", assessment.validators.first().map(super::Validator::as_str));
    let members = match assessment.reversible {
        Some(reversible) => members.flag("reversible", reversible),
        None => members,
    };
    members
        .flag("confirmation_required", assessment.confirmation)
        .maybe("code_safety", code_safety)
        .finish()
}
