//! Whether the rows that a plan gives are all different: then they need not be looked up before they are added.

use super::{Access, Emit, Key, Plan, Rows, Step};
use crate::program::Slot;

/// A relation has each row once. So two bindings differ in a register that some row filled, and if the head shows all of those, the
/// rows of the head differ too.
pub(super) fn is_injective(plan: &Plan, arity: impl Fn(&Rows) -> usize) -> bool {
    let Emit::Head(head) = &plan.emit else { return false };
    let shown = |slot: Slot| head.args.contains(&Key::Slot(slot));
    head.time.is_none()
        && plan.steps.iter().all(|step| match step {
            Step::Rows(rows) => {
                rows.once
                    || (rows.timing.is_none() && sees_whole_rows(rows, arity(rows)) && rows.binds.iter().all(|&(_, slot)| shown(slot)))
            }
            Step::Absent(_) | Step::Let(..) | Step::Equal(..) | Step::Compare(..) | Step::NotBuilt(..) | Step::Ask(..) => true,
            // A list may have an element twice.
            Step::Built(..) | Step::Call(..) => false,
        })
}

/// Whether every column is known beforehand or goes to a register.
fn sees_whole_rows(rows: &Rows, arity: usize) -> bool {
    let by_access = match &rows.access {
        Access::Scan => 0,
        Access::Find(keys) => keys.len(),
        Access::Index(columns, _) => columns.len(),
    };
    by_access + rows.checks.len() + rows.same.len() + rows.binds.len() >= arity
}
