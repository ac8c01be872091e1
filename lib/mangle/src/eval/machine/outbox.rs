//! A batch of rows that are about to be added to the head. The place of a row in the table is practically random, so
//! each insertion would wait for memory by itself; the places of a whole batch are fetched at once.

use super::Machine;
use crate::eval::{error::Stop, relation::Relation};

/// How many rows a batch has.
const BATCH: usize = 32;

/// Rows that are not in the head yet. A round does not read the rows that it derives, so the delay does not show.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    rows: Vec<u64>,
    hashes: Vec<u64>,
}

impl Machine<'_, '_> {
    /// Adds a row to the head if it is new.
    #[inline(always)]
    pub(super) fn send<const W: usize>(&mut self, row: [u64; W]) -> Result<(), Stop> {
        let Some((_, relation)) = &mut self.head else { return Ok(()) };
        if self.all_new {
            relation.own.push(&row);
            return Ok(self.tools.meter.fact()?);
        }
        self.outbox.hashes.push(relation.own.keys.row(&row));
        self.outbox.rows.extend_from_slice(&row);
        if self.outbox.hashes.len() < BATCH { Ok(()) } else { self.flush() }
    }

    /// Does the work of [`Self::send`] for any width, without batching.
    pub(super) fn send_wide(&mut self, row: &[u64]) -> Result<(), Stop> {
        let Some((_, relation)) = &mut self.head else { return Ok(()) };
        if self.all_new {
            relation.own.push(row);
            return Ok(self.tools.meter.fact()?);
        }
        if relation.insert(row).1 {
            self.tools.meter.fact()?;
        }
        Ok(())
    }

    /// Adds the batch to the head.
    pub(super) fn flush(&mut self) -> Result<(), Stop> {
        match self.head.as_ref().map(|(_, relation)| relation.width()) {
            Some(1) => self.flush_array::<1>(),
            Some(2) => self.flush_array::<2>(),
            Some(3) => self.flush_array::<3>(),
            // Wider rows are not batched.
            _ => Ok(()),
        }
    }

    fn flush_array<const W: usize>(&mut self) -> Result<(), Stop> {
        let Self { head, outbox, tools, .. } = self;
        let (Some((_, relation)), false) = (head, outbox.hashes.is_empty()) else {
            return Ok(());
        };
        let Relation { frozen, own, .. } = &mut **relation;
        let frozen = frozen.as_ref().map(|frozen| &frozen.segment).filter(|segment| segment.len() > 0);
        own.fetch(&outbox.hashes);
        if let Some(frozen) = frozen {
            frozen.fetch(&outbox.hashes);
        }
        let (before, room) = (own.len(), tools.meter.room());
        for (row, &hash) in outbox.rows.as_chunks::<W>().0.iter().zip(&outbox.hashes) {
            if frozen.is_some_and(|frozen| frozen.find(row, hash).is_some()) {
                continue;
            }
            if own.insert_array(*row, hash) && (own.len() - before) as u64 > room {
                break;
            }
        }
        outbox.rows.clear();
        outbox.hashes.clear();
        Ok(tools.meter.facts((own.len() - before) as u64)?)
    }
}
