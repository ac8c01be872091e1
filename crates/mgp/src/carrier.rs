//! Where MGP's data lies in messages: where the specification puts it, and in `_meta`, which typed SDKs keep (D6).

use jsonrpc::{Editor, Raw};

/// The member of the specification: `params._mgp`, `result._mgp`, `tool._mgp`.
pub const MGP: &str = "_mgp";
/// The key in `_meta`, and of the extension in capabilities.
pub const EXTENSION: &str = "dev.cloto/mgp";
/// The other place.
pub const META: &str = "_meta";

/// A member of MGP's data in params, a result, a notification or a definition: the specification's place first.
#[must_use]
pub fn get(of: &Raw, name: &str) -> Option<Raw> {
    of.at(&[MGP, name]).or_else(|| of.at(&[META, EXTENSION, name]))
}

/// Writes a member of MGP's data in both places.
pub fn set(edit: Editor, name: &str, value: &Raw) -> Editor {
    edit.set(&[MGP, name], value).set(&[META, EXTENSION, name], value)
}

/// The same without MGP's data in either place, for a peer that did not ask for it (§2.4.3); `_meta` goes where nothing else is in it.
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

/// Takes one member out of an object inside, and that object where it was all it had.
pub(crate) fn without(edit: Editor, of: &Raw, holder: &str, name: &str) -> Editor {
    let Some(held) = of.get(holder).filter(|held| held.get(name).is_some()) else {
        return edit;
    };
    match held.object() {
        Ok(members) if members.len() == 1 => edit.remove(&[holder]),
        _ => edit.remove(&[holder, name]),
    }
}
