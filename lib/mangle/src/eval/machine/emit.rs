//! The results of bindings: rows of the head, or registers to be grouped.

use super::{Machine, Target, rows::Words};
use crate::{
    eval::{
        error::Stop,
        plan::{Emit, Group, Head, Key, Plan, Rows},
    },
    program::Interval,
};

impl<'a> Machine<'a, '_> {
    /// Emits the binding in the registers. Returns whether it was taken.
    pub(super) fn emit(&mut self) -> Result<bool, Stop> {
        match &self.plan.emit {
            Emit::Head(head) => self.emit_head(head),
            Emit::Group(group) => self.emit_binding(group),
        }
    }

    fn emit_binding(&mut self, group: &Group) -> Result<bool, Stop> {
        let Self { registers, target, .. } = self;
        let Target::Bindings(distinct, all) = target else {
            return self.keep(None, None);
        };
        let words = group.kept.iter().map(|&slot| registers[usize::from(slot)]);
        // A binding of no registers is one word that is zero.
        let padding = group.kept.is_empty().then_some(0);
        if group.distinct {
            let row: Words = words.chain(padding).collect();
            let hash = distinct.keys.row(&row);
            // Whether it was present already does not matter.
            let _: Result<usize, usize> = distinct.insert(&row, hash);
        } else {
            all.extend(words);
            all.extend(padding);
        }
        Ok(true)
    }

    fn emit_head(&mut self, head: &Head) -> Result<bool, Stop> {
        if let (Target::Rows, None) = (&self.target, head.time) {
            let word = |key: &Key| self.word(key);
            match head.args.as_slice() {
                [a] => return self.send([word(a)]).map(|()| true),
                [a, b] => return self.send([word(a), word(b)]).map(|()| true),
                [a, b, c] => return self.send([word(a), word(b), word(c)]).map(|()| true),
                _ => {}
            }
        }
        let mut row: Words = head.args.iter().map(|key| self.word(key)).collect();
        if row.is_empty() {
            row.push(0);
        }
        let interval = match head.time {
            None => None,
            Some((start, end)) => Some(self.interval(start, end)?),
        };
        match &mut self.target {
            Target::Rows => self.send_wide(&row).map(|()| true),
            Target::Timed(pending) => {
                if let (Some(interval), Some((_, relation))) = (interval, &mut self.head) {
                    pending.push((relation.insert(&row).0, interval));
                }
                Ok(true)
            }
            Target::Loose(rows) => {
                rows.extend_from_slice(&row);
                Ok(true)
            }
            Target::Bindings(..) | Target::Proofs(_) => self.keep(Some(&row), interval),
        }
    }

    /// Keeps the registers if they derive the wanted row. Returns whether that is enough.
    fn keep(&mut self, row: Option<&[u64]>, time: Option<Interval>) -> Result<bool, Stop> {
        let Target::Proofs(proofs) = &mut self.target else {
            return Ok(false);
        };
        let fits = match (&proofs.wanted, row) {
            (Some(wanted), Some(row)) => wanted == row,
            _ => true,
        };
        if fits {
            proofs.found.push((self.registers.clone(), time));
        }
        Ok(fits && proofs.found.len() >= proofs.enough)
    }

    /// Returns how rows of a step are written directly into the head, if they are.
    #[inline(always)]
    pub(super) fn direct(&self, at: usize) -> Option<&'a Direct> {
        let found = self.found;
        found[at].direct.as_ref().filter(|_| matches!(self.target, Target::Rows))
    }

    /// Adds the rows of a last step directly to the head: the innermost loop, without registers.
    pub(super) fn emit_direct(&mut self, direct: &Direct, slice: &[u64], width: usize) -> Result<bool, Stop> {
        match direct.columns.len() {
            1 => self.emit_columns::<1>(direct, slice, width),
            2 => self.emit_columns::<2>(direct, slice, width),
            _ => self.emit_columns::<3>(direct, slice, width),
        }
    }

    fn emit_columns<const W: usize>(&mut self, direct: &Direct, slice: &[u64], width: usize) -> Result<bool, Stop> {
        /// The number of rows between two checks of the budget.
        const CHUNK: usize = 1024;
        let mut fixed = [0; W];
        let mut from = [usize::MAX; W];
        for ((word, column), (key, origin)) in fixed.iter_mut().zip(&mut from).zip(&direct.columns) {
            *word = self.word(key);
            *column = *origin;
        }
        for chunk in slice.chunks(CHUNK * width) {
            let count = (chunk.len() / width) as u64;
            self.step(count)?;
            self.fired += count;
            for row in chunk.chunks_exact(width) {
                let mut new = fixed;
                for (word, &column) in new.iter_mut().zip(&from) {
                    *word = row.get(column).copied().unwrap_or(*word);
                }
                self.send(new)?;
            }
        }
        Ok(!slice.is_empty())
    }
}

/// The sources of the head's columns in the rows of a plan's last step.
#[derive(Debug)]
pub(super) struct Direct {
    /// For each column a fixed word, or the column of the row that it comes from.
    columns: Vec<(Key, usize)>,
}

impl Direct {
    /// Returns the columns if the plan is of this form: its last step only binds, and its head has one, two or three
    /// columns and no time.
    pub(super) fn of(plan: &Plan, at: usize, rows: &Rows) -> Option<Self> {
        let Emit::Head(head) = &plan.emit else { return None };
        if at + 1 != plan.steps.len() || !rows.binds_only() || rows.once || head.time.is_some() || !(1..=3).contains(&head.args.len()) {
            return None;
        }
        let column = |key: &Key| {
            let Key::Slot(slot) = key else { return usize::MAX };
            let bind = rows.binds.iter().find(|(_, bound)| bound == slot);
            bind.map_or(usize::MAX, |&(column, _)| usize::from(column))
        };
        Some(Self {
            columns: head.args.iter().map(|key| (*key, column(key))).collect(),
        })
    }
}
