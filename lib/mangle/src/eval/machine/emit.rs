//! What comes of a binding: a row of the head, or registers to be grouped.

use super::{Machine, Target, rows::Words};
use crate::eval::{
    error::Stop,
    plan::{Emit, Head, Key, Rows},
    segment::hash_row,
};

impl Machine<'_, '_> {
    /// Emits the binding in the registers.
    pub(super) fn emit(&mut self) -> Result<(), Stop> {
        match &self.plan.emit {
            Emit::Head(head) => self.emit_head(head),
            Emit::Group(group) => {
                let row: Words = group.kept.iter().map(|&slot| self.registers[usize::from(slot)]).collect();
                let Target::Bindings(distinct, all) = &mut self.target else {
                    return Ok(());
                };
                if group.distinct {
                    let row = if row.is_empty() { Words::from_slice(&[0]) } else { row };
                    distinct.insert(&row, hash_row(&row));
                } else if row.is_empty() {
                    all.push(0);
                } else {
                    all.extend_from_slice(&row);
                }
                Ok(())
            }
        }
    }

    fn emit_head(&mut self, head: &Head) -> Result<(), Stop> {
        let mut row: Words = head.args.iter().map(|key| self.word(key)).collect();
        if row.is_empty() {
            row.push(0);
        }
        let interval = match head.time {
            None => None,
            Some((start, end)) => Some(self.interval(start, end)?),
        };
        match &mut self.target {
            Target::Rows => self.add(&row),
            Target::Timed(pending) => {
                if let (Some(interval), Some((_, relation))) = (interval, &mut self.head) {
                    pending.push((relation.insert(&row).0, interval));
                }
                Ok(())
            }
            Target::Loose(rows) => {
                rows.extend_from_slice(&row);
                Ok(())
            }
            Target::Bindings(..) => Ok(()),
        }
    }

    #[inline(always)]
    fn add(&mut self, row: &[u64]) -> Result<(), Stop> {
        let Some((_, relation)) = &mut self.head else { return Ok(()) };
        let hash = hash_row(row);
        if let Some(frozen) = &relation.frozen
            && frozen.segment.find(row, hash).is_some()
        {
            return Ok(());
        }
        if relation.own.insert(row, hash).is_some() {
            self.tools.meter.fact()?;
        }
        Ok(())
    }

    /// The last step of a plan, with a head of one, two or three columns: the innermost loop, without registers. `None` if the plan
    /// is not of this form.
    pub(super) fn emit_slice(&mut self, at: usize, rows: &Rows, slice: &[u64], width: usize) -> Result<Option<bool>, Stop> {
        let (Emit::Head(head), Target::Rows) = (&self.plan.emit, &self.target) else {
            return Ok(None);
        };
        let plain = rows.checks.is_empty() && rows.same.is_empty() && rows.timing.is_none() && !self.found[at].versioned && !rows.once;
        if !plain || head.time.is_some() {
            return Ok(None);
        }
        Ok(Some(match *head.args.as_slice() {
            [a] => self.emit_columns(rows, slice, width, [a])?,
            [a, b] => self.emit_columns(rows, slice, width, [a, b])?,
            [a, b, c] => self.emit_columns(rows, slice, width, [a, b, c])?,
            _ => return Ok(None),
        }))
    }

    fn emit_columns<const W: usize>(&mut self, rows: &Rows, slice: &[u64], width: usize, keys: [Key; W]) -> Result<bool, Stop> {
        /// Rows between two looks at the budget.
        const CHUNK: usize = 1024;
        // For each column of the head, the column of the row it comes from; a column that is not there stands for a fixed word.
        let fixed = keys.map(|key| self.word(&key));
        let from = keys.map(|key| {
            let Key::Slot(slot) = key else { return usize::MAX };
            let bind = rows.binds.iter().find(|(_, bound)| *bound == slot);
            bind.map_or(usize::MAX, |&(column, _)| usize::from(column))
        });
        for chunk in slice.chunks(CHUNK * width) {
            let count = chunk.len() / width;
            self.step(count as u64)?;
            self.fired += count as u64;
            let Some((_, relation)) = &mut self.head else { return Ok(false) };
            let frozen = relation.frozen.clone();
            for row in chunk.chunks_exact(width) {
                let mut new = fixed;
                for (word, &column) in new.iter_mut().zip(&from) {
                    *word = row.get(column).copied().unwrap_or(*word);
                }
                let hash = hash_row(&new);
                if let Some(frozen) = &frozen
                    && frozen.segment.find(&new, hash).is_some()
                {
                    continue;
                }
                if relation.own.insert_array(new, hash) {
                    self.tools.meter.fact()?;
                }
            }
        }
        Ok(!slice.is_empty())
    }
}
