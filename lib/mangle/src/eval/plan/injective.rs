//! Decides whether all rows that a plan gives are different: then they need not be looked up before they are added.

use super::{Access, Emit, Group, Key, Plan, Rows, Step};
use crate::program::{Expr, Slot, Transform};

/// Returns the steps at which a key must have at most one row, so that no two bindings give equal rows; `None` if they
/// may do so anyway.
///
/// A relation has each row once. So two bindings differ in a register that some row filled, and if the head shows all
/// of those, the rows of the head differ too. A step that finds at most one row for what is known before it adds no
/// difference. Groups differ in their keys.
pub(super) fn injective_if(plan: &Plan, arity: impl Fn(&Rows) -> usize) -> Option<Vec<usize>> {
    let head = match &plan.emit {
        Emit::Head(head) => head,
        Emit::Group(group) => return shows_its_keys(group).then(Vec::new),
    };
    let shown = |&(_, slot): &(u16, Slot)| head.args.contains(&Key::Slot(slot));
    let mut single = Vec::new();
    for (at, step) in plan.steps.iter().enumerate() {
        match step {
            Step::Rows(rows) if rows.once => {}
            Step::Rows(rows) if rows.timing.is_some() => return None,
            Step::Rows(rows) if sees_whole_rows(rows, arity(rows)) && rows.binds.iter().all(shown) => {}
            Step::Rows(rows) if matches!(rows.access, Access::Index(..)) => single.push(at),
            // A list may contain an element twice.
            Step::Rows(_) | Step::Built(..) | Step::Call(..) => return None,
            Step::Absent(_) | Step::Let(..) | Step::Equal(..) | Step::Compare(..) | Step::NotBuilt(..) | Step::Ask(..) => {}
        }
    }
    head.time.is_none().then_some(single)
}

/// Returns whether the head that follows the group shows the whole key of the group.
fn shows_its_keys(group: &Group) -> bool {
    let shown = |key: &Slot| group.head.args.iter().any(|arg| matches!(arg, Expr::Slot(slot) if slot == key));
    let last = !group.rest.iter().any(|transform| matches!(transform, Transform::Group { .. }));
    last && group.head.time.is_none() && group.keys.iter().all(shown)
}

/// Returns whether every column is known beforehand or stored in a register.
fn sees_whole_rows(rows: &Rows, arity: usize) -> bool {
    let by_access = match &rows.access {
        Access::Scan => 0,
        Access::Find(keys) => keys.len(),
        Access::Index(columns, _) => columns.len(),
    };
    by_access + rows.checks.len() + rows.same.len() + rows.binds.len() >= arity
}
