//! Finds the interval of a fact that a premise rests on.

use crate::{
    eval::parts::IntervalSet,
    program::{Bound, HeadTime, Interval, Operator, When, Window},
    value::{Interner, Value, View},
};

/// The values needed to read the bounds of an annotation.
pub(super) struct Clock<'a> {
    pub interner: &'a Interner,
    pub registers: &'a [u64],
    pub now: i64,
}

impl Clock<'_> {
    /// Returns the instant of a bound; `None` for `_`.
    fn instant(&self, bound: Bound, sign: i64) -> Option<i64> {
        let time = |value: Value| match self.interner.view(value) {
            View::Time(nanos) | View::Number(nanos) => Some(nanos),
            _ => None,
        };
        match bound {
            Bound::Slot(slot) => time(Value::from_bits(self.registers[usize::from(slot)])),
            Bound::At(nanos) => Some(nanos),
            Bound::Value(value) => time(value),
            Bound::Offset(nanos) => Some(self.now.saturating_add(sign.saturating_mul(nanos))),
            Bound::Now => Some(self.now),
            Bound::Open => None,
        }
    }

    /// Returns the part of `set` that satisfies an annotation under the binding.
    pub(super) fn needed(&self, when: Option<&When>, set: &IntervalSet) -> Option<Interval> {
        match when {
            None => Some(Interval::at(self.now)).filter(|now| set.covering(*now).is_some()),
            Some(When::During { start, end }) => self.during(HeadTime { start: *start, end: *end }, set),
            Some(When::Window(window)) => self.window(window, set),
        }
    }

    fn during(&self, time: HeadTime, set: &IntervalSet) -> Option<Interval> {
        let (start, end) = (self.instant(time.start, 1), self.instant(time.end, 1));
        let covering = match (start, end) {
            (Some(start), Some(end)) => return Interval::new(start, end).filter(|asked| set.covering(*asked).is_some()),
            (Some(known), None) | (None, Some(known)) => set.covering(Interval::at(known))?,
            (None, None) => set.get(0)?,
        };
        Interval::new(start.unwrap_or(covering.start), end.unwrap_or(covering.end))
    }

    fn window(&self, window: &Window, set: &IntervalSet) -> Option<Interval> {
        let past = matches!(window.operator, Operator::OncePast | Operator::AlwaysPast);
        let sign = if past { -1 } else { 1 };
        let (near, far) = (self.instant(window.from, sign), self.instant(window.to, sign));
        let absolute = matches!((window.from, window.to), (Bound::At(_), Bound::At(_)));
        let (start, end) = if past && !absolute { (far, near) } else { (near, far) };
        let asked = Interval::new(start.unwrap_or(i64::MIN), end.unwrap_or(i64::MAX))?;
        if matches!(window.operator, Operator::AlwaysPast | Operator::AlwaysAhead) {
            return set.covering(asked).map(|_| asked);
        }
        match window.found {
            Some(found) => self.during(found, set).filter(|found| found.overlaps(asked)),
            None => {
                let found = set.overlapping(asked).next()?;
                Interval::new(found.start.max(asked.start), found.end.min(asked.end))
            }
        }
    }
}
