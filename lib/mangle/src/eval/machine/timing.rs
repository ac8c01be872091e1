//! Goes through rows with times or versions.

use super::Machine;
use crate::{
    eval::{
        error::Stop,
        interval_set::IntervalSet,
        plan::{Key, Rows, TimeKey, Timing},
    },
    program::{Interval, Operator, Slot},
    value::{Value, View},
};

/// A bound of an interval once everything before it is known.
#[derive(Clone, Copy)]
enum Bound {
    Known(i64),
    Bind(Slot),
    Open,
}

impl Bound {
    /// Returns whether an interval can have it: a time that is already known must lie inside.
    fn admits(self, interval: Interval) -> bool {
        match self {
            Self::Known(nanos) => interval.contains(Interval::at(nanos)),
            Self::Bind(_) | Self::Open => true,
        }
    }
}

impl Machine<'_, '_> {
    /// Continues with a row if it is the newest version and its time fits.
    pub(super) fn visit_numbered(&mut self, at: usize, rows: &Rows, row: &[u64], number: Option<u32>) -> Result<bool, Stop> {
        if rows.timing.is_none() && !self.found[at].versioned {
            return self.next(at);
        }
        let relation = self.relation(rows.pred);
        let Some(number) = number.or_else(|| relation.find(row)) else {
            return Ok(false);
        };
        if !relation.alive(number) {
            return Ok(false);
        }
        let Some(timing) = rows.timing else { return self.next(at) };
        let found = &self.found[at];
        let Some(set) = found.times.as_ref().and_then(|times| times.get(number)) else {
            return Ok(false);
        };
        self.timed(at, rows, timing, set, None)
    }

    /// Goes through the rows and intervals that were added in the last round.
    pub(super) fn fresh(&mut self, at: usize, rows: &Rows) -> Result<bool, Stop> {
        let Some(timing) = rows.timing else { return Ok(false) };
        let found = &self.found[at];
        let Some(times) = &found.times else { return Ok(false) };
        let mut any = false;
        let count = self.relation(rows.pred).fresh.len();
        for place in 0..count {
            self.step(1)?;
            let relation = self.relation(rows.pred);
            let (number, interval) = relation.fresh[place];
            let row: super::rows::Words = relation.row(number).into();
            let Some(set) = times.get(number).filter(|_| self.fits_row(rows, &row)) else {
                continue;
            };
            for &(column, slot) in &rows.binds {
                self.registers[usize::from(slot)] = row[usize::from(column)];
            }
            any |= self.timed(at, rows, timing, set, Some(interval))?;
        }
        Ok(any)
    }

    /// Continues for each interval of `set` that fits; only for `fresh` if that is given.
    fn timed(&mut self, at: usize, rows: &Rows, timing: Timing, set: &IntervalSet, fresh: Option<Interval>) -> Result<bool, Stop> {
        match timing {
            Timing::Now => {
                let now = Interval::at(self.world.now);
                if set.covering(now).is_some() && fresh.is_none_or(|fresh| fresh.overlaps(now)) {
                    return self.next(at);
                }
                Ok(false)
            }
            Timing::During(start, end) => {
                let (start, end) = (self.bound(start)?, self.bound(end)?);
                self.during(at, rows, start, end, set, fresh)
            }
            Timing::Window(operator, from, to, found) => {
                let from = self.edge(from, i64::MIN)?;
                let to = self.edge(to, i64::MAX)?;
                let Some(window) = Interval::new(from, to) else { return Ok(false) };
                self.window(at, rows, operator, window, found, set, fresh)
            }
        }
    }

    fn during(
        &mut self,
        at: usize,
        rows: &Rows,
        start: Bound,
        end: Bound,
        set: &IntervalSet,
        fresh: Option<Interval>,
    ) -> Result<bool, Stop> {
        let (Bound::Known(_) | Bound::Open, Bound::Known(_) | Bound::Open) = (start, end) else {
            return self.bind_each(at, rows, start, end, set, fresh);
        };
        let edge = |bound, open| match bound {
            Bound::Known(nanos) => nanos,
            _ => open,
        };
        let Some(asked) = Interval::new(edge(start, i64::MIN), edge(end, i64::MAX)) else {
            return Ok(false);
        };
        if set.covering(asked).is_some() && fresh.is_none_or(|fresh| fresh.overlaps(asked)) {
            return self.next(at);
        }
        Ok(false)
    }

    /// Binds the bounds of each interval that contains the known instants.
    fn bind_each(
        &mut self,
        at: usize,
        rows: &Rows,
        start: Bound,
        end: Bound,
        set: &IntervalSet,
        fresh: Option<Interval>,
    ) -> Result<bool, Stop> {
        let mut any = false;
        let count = if fresh.is_some() { 1 } else { set.len() };
        for place in 0..count {
            let Some(interval) = fresh.or_else(|| set.get(place)) else { break };
            self.step(1)?;
            if !start.admits(interval) || !end.admits(interval) {
                continue;
            }
            self.bind_interval(start, end, interval);
            any |= self.next(at)?;
            if any && rows.once {
                break;
            }
        }
        Ok(any)
    }

    /// Binds the bounds of an interval; `@[T]` gets the start.
    fn bind_interval(&mut self, start: Bound, end: Bound, interval: Interval) {
        if let Bound::Bind(slot) = end {
            let value = self.tools.interner.time(interval.end);
            self.set(slot, value.bits());
        }
        if let Bound::Bind(slot) = start {
            let value = self.tools.interner.time(interval.start);
            self.set(slot, value.bits());
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one operator with everything that it looks at")]
    fn window(
        &mut self,
        at: usize,
        rows: &Rows,
        operator: Operator,
        window: Interval,
        found: Option<(TimeKey, TimeKey)>,
        set: &IntervalSet,
        fresh: Option<Interval>,
    ) -> Result<bool, Stop> {
        let fits: Vec<Interval> = match operator {
            Operator::OncePast | Operator::OnceAhead => match fresh {
                Some(fresh) => Some(fresh).into_iter().filter(|fresh| fresh.overlaps(window)).collect(),
                None => set.overlapping(window).collect(),
            },
            Operator::AlwaysPast | Operator::AlwaysAhead => set
                .covering(window)
                .into_iter()
                .filter(|_| fresh.is_none_or(|fresh| fresh.overlaps(window)))
                .collect(),
        };
        let mut any = false;
        for interval in fits {
            self.step(1)?;
            if let Some((start, end)) = found {
                let (start, end) = (self.bound(start)?, self.bound(end)?);
                if !start.admits(interval) || !end.admits(interval) {
                    continue;
                }
                self.bind_interval(start, end, interval);
            }
            any |= self.next(at)?;
            if any && (rows.once || found.is_none()) {
                break;
            }
        }
        Ok(any)
    }

    fn bound(&self, key: TimeKey) -> Result<Bound, Stop> {
        Ok(match key {
            TimeKey::Bind(slot) => Bound::Bind(slot),
            TimeKey::Open => Bound::Open,
            key => Bound::Known(self.instant(key)?),
        })
    }

    /// Returns an instant, or `open` if there is none.
    pub(super) fn edge(&self, key: TimeKey, open: i64) -> Result<i64, Stop> {
        match key {
            TimeKey::Bind(_) | TimeKey::Open => Ok(open),
            key => self.instant(key),
        }
    }

    fn instant(&self, key: TimeKey) -> Result<i64, Stop> {
        let value = match key {
            TimeKey::At(nanos) => return Ok(nanos),
            TimeKey::Now(offset) => return Ok(self.world.now.saturating_add(offset)),
            TimeKey::Slot(slot) => Value::from_bits(self.word(&Key::Slot(slot))),
            TimeKey::Value(value) => value,
            TimeKey::Bind(_) | TimeKey::Open => return Ok(0),
        };
        match self.tools.interner.view(value) {
            View::Time(nanos) | View::Number(nanos) => Ok(nanos),
            _ => Err(self.fault(crate::builtin::Fault::Kind {
                wanted: "a time",
                got: self.tools.interner.print(value).to_string(),
            })),
        }
    }
}
