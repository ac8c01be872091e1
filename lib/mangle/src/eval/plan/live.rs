//! Removes what a plan takes from rows and never uses; a premise of which nothing is used is finished with its first
//! row.

use super::{Emit, Key, Output, Plan, Rows, Step, TimeKey, Timing};
use crate::program::{Expr, Slot};

struct Live(Vec<bool>);

impl Live {
    fn slot(&mut self, slot: Slot) {
        self.0[usize::from(slot)] = true;
    }

    fn key(&mut self, key: &Key) {
        if let Key::Slot(slot) = key {
            self.slot(*slot);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        expr.slots(&mut |slot| self.0[usize::from(slot)] = true);
    }

    fn time(&mut self, key: &TimeKey) {
        if let TimeKey::Slot(slot) = key {
            self.slot(*slot);
        }
    }

    /// Marks the registers that the step reads.
    fn rows(&mut self, rows: &Rows) {
        match &rows.access {
            super::Access::Scan => {}
            super::Access::Find(keys) | super::Access::Index(_, keys) => keys.iter().for_each(|key| self.key(key)),
        }
        rows.checks.iter().for_each(|(_, key)| self.key(key));
        match &rows.timing {
            None | Some(Timing::Now) => {}
            Some(Timing::During(start, end)) => [start, end].into_iter().for_each(|key| self.time(key)),
            Some(Timing::Window(_, from, to, found)) => {
                [from, to].into_iter().for_each(|key| self.time(key));
                found
                    .iter()
                    .for_each(|(start, end)| [start, end].into_iter().for_each(|key| self.time(key)));
            }
        }
    }

    fn binds_time(&self, rows: &Rows) -> bool {
        let live = |key: &TimeKey| matches!(key, TimeKey::Bind(slot) if self.0[usize::from(*slot)]);
        match &rows.timing {
            Some(Timing::During(start, end)) => live(start) || live(end),
            Some(Timing::Window(.., Some((start, end)))) => live(start) || live(end),
            _ => false,
        }
    }
}

/// Removes the registers that a plan fills and no later step reads, going through the plan backwards.
pub(super) fn mark_unused(plan: &mut Plan) {
    let mut live = Live(vec![false; plan.slots]);
    match &plan.emit {
        Emit::Head(head) => {
            head.args.iter().for_each(|key| live.key(key));
            if let Some((start, end)) = &head.time {
                live.time(start);
                live.time(end);
            }
        }
        Emit::Group(group) => group.kept.iter().for_each(|&slot| live.slot(slot)),
    }
    // With a single atom, each row counts for a group.
    let each_row = matches!(&plan.emit, Emit::Group(group) if !group.distinct);
    for step in plan.steps.iter_mut().rev() {
        match step {
            Step::Rows(rows) => {
                // A register that the timing compares with has to be filled, although no later step uses it.
                live.rows(rows);
                rows.binds.retain(|&(_, slot)| live.0[usize::from(slot)]);
                rows.once = rows.binds.is_empty() && !each_row && !live.binds_time(rows);
            }
            Step::Call(_, keys, rows) => {
                live.rows(rows);
                keys.iter().flatten().for_each(|key| live.key(key));
            }
            Step::Absent(rows) => live.rows(rows),
            Step::Let(_, expr) => live.expr(expr),
            Step::Equal(left, right) | Step::Compare(_, _, left, right) => {
                live.expr(left);
                live.expr(right);
            }
            Step::Built(_, args, outputs) | Step::NotBuilt(_, args, outputs) => {
                args.iter().for_each(|arg| live.expr(arg));
                for output in outputs {
                    if let Output::Check(expr) = output {
                        live.expr(expr);
                    }
                }
            }
            Step::Ask(_, keys) => keys.iter().flatten().for_each(|key| live.key(key)),
        }
    }
}
