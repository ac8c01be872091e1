//! The carriers of MGP's data in messages: the specification's member, and `_meta`, which typed SDKs keep (D6).

use jsonrpc::{Editor, Raw};

/// The member of the specification: `params._mgp`, `result._mgp`, `tool._mgp`.
pub const MGP: &str = "_mgp";
/// The key in `_meta`, and of the extension in capabilities.
pub const EXTENSION: &str = "dev.cloto/mgp";
/// The member of MCP that is the other carrier.
pub const META: &str = "_meta";

/// Returns a member of MGP's data in params, a result, a notification or a definition; the specification's carrier comes first.
#[must_use]
pub fn get(of: &Raw, name: &str) -> Option<Raw> {
    of.at(&[MGP, name]).or_else(|| of.at(&[META, EXTENSION, name]))
}

/// Writes a member of MGP's data in both carriers.
pub fn set(edit: Editor, name: &str, value: &Raw) -> Editor {
    edit.set(&[MGP, name], value).set(&[META, EXTENSION, name], value)
}

/// Removes MGP's data from both carriers, for a peer that did not ask for it (§2.4.3); a `_meta` without other members is removed too.
#[must_use]
pub fn strip(of: &Raw) -> Raw {
    strip_from(of.edit(), of).finish()
}

pub(crate) fn strip_from(mut edit: Editor, of: &Raw) -> Editor {
    if of.get(MGP).is_some() {
        edit = edit.remove(&[MGP]);
    }
    without(edit, of, META, EXTENSION)
}

/// Removes one member of an inner object, and that object if it has no other member.
pub(crate) fn without(edit: Editor, of: &Raw, holder: &str, name: &str) -> Editor {
    let Some(held) = of.get(holder).filter(|held| held.get(name).is_some()) else {
        return edit;
    };
    match held.object() {
        Ok(members) if members.len() == 1 => edit.remove(&[holder]),
        _ => edit.remove(&[holder, name]),
    }
}
