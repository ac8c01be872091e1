//! The servers that declared extensions, and so receive the methods that the core does not know.

use mcp::capabilities::claimed_by;
use model::ServerId;

use crate::index::{Key, Sort};
use crate::parts::Parts;

/// Returns the server that a method belongs to; none if no server declared it, or two did.
pub(crate) fn owner<'a>(parts: &'a Parts, method: &str) -> Option<&'a ServerId> {
    let segment = claimed_by(method);
    let holders = parts.holders(Key::new(Sort::Extension, segment));
    let mut declared = holders.filter(|(holder, part)| *part.extensions[holder.row as usize] == *segment);
    let (_, part) = declared.next()?;
    declared.next().is_none().then_some(&part.offer.server)
}
