//! The times of facts before a round of their stratum: what a proof of that round may rest on.

use std::{collections::HashMap, sync::Arc};

use super::Explainer;
use crate::{
    eval::{
        EvalError,
        parts::{IntervalSet, Times},
    },
    program::PredId,
};

/// The intervals of every row of some predicates, each before some round.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    known: HashMap<(PredId, u32), Arc<Times>>,
    bytes: usize,
}

/// The limit of bytes for cached rounds. Proofs go backwards, so few rounds are needed again.
const KEPT: usize = 8 << 20;

impl Explainer<'_> {
    /// Returns when the rows of a temporal predicate held before `round`.
    pub(super) fn earlier(&mut self, pred: PredId, round: u32) -> Result<Arc<Times>, EvalError> {
        if let Some(times) = self.earlier.known.get(&(pred, round)) {
            return Ok(Arc::clone(times));
        }
        let past = self.past(pred);
        let mut times = vec![IntervalSet::default(); self.model.relations[pred.index()].len()];
        let mut bytes = times.capacity() * size_of::<IntervalSet>();
        let mut parts = Vec::new();
        let stated = past.stated.iter().map(|&(number, interval)| (number, interval, true));
        let derived = past
            .history
            .iter()
            .map(|&(number, interval, when)| (number, interval, when < round));
        for (number, interval, before) in stated.chain(derived) {
            self.meter.step(1, || bytes)?;
            if before {
                let set = &mut times[number as usize];
                let heap = set.heap();
                set.add(interval, &mut parts);
                parts.clear();
                bytes += set.heap().saturating_sub(heap);
            }
        }
        self.keep(pred, round, Arc::new(Times::of(times)), bytes)
    }

    fn keep(&mut self, pred: PredId, round: u32, times: Arc<Times>, bytes: usize) -> Result<Arc<Times>, EvalError> {
        if self.earlier.bytes + bytes > KEPT {
            self.meter.resting -= std::mem::take(&mut self.earlier).bytes;
        }
        self.earlier.bytes += bytes;
        self.meter.resting += bytes;
        self.meter.check_bytes(0)?;
        self.earlier.known.insert((pred, round), Arc::clone(&times));
        Ok(times)
    }
}
