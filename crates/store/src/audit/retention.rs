//! Decides which segments may be dropped.

use std::collections::HashMap;
use std::time::Duration;

use model::Timestamp;

use super::segment::Segment;
use crate::Retention;

/// How long a segment that is too old is kept nevertheless. A clock that is wrong for less than that costs nothing.
const GRACE: i64 = 24 * 60 * 60 * 1000;

/// What retention does now.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// How many of the first segments are dropped.
    pub(crate) drop: usize,
    /// How many of the first segments queries no longer find, including the dropped ones.
    pub(crate) hide: usize,
    /// The segments that are too old and wait, and since when.
    pub(crate) condemned: HashMap<u64, Timestamp>,
}

/// Makes the plan for segments in order. The last one is being written and never dropped.
pub(crate) fn plan(segments: &[Segment], retention: Retention, now: Timestamp, condemned: &HashMap<u64, Timestamp>) -> Plan {
    let sealed = segments.split_last().map_or(&[][..], |(_, sealed)| sealed);
    match retention {
        Retention::KeepAll => Plan::default(),
        Retention::Size(most) => {
            let drop = over(segments, most).min(sealed.len());
            Plan {
                drop,
                hide: drop,
                ..Plan::default()
            }
        }
        Retention::Time(kept) => by_age(sealed, kept, now, condemned),
        Retention::Tiered { searchable, kept } => {
            let plan = by_age(sealed, kept, now, condemned);
            let hide = older(sealed, searchable, now).max(plan.drop);
            Plan { hide, ..plan }
        }
    }
}

/// Returns how many of the first segments must be dropped for the rest to fit.
fn over(segments: &[Segment], most: u64) -> usize {
    let mut total: u64 = segments.iter().map(|segment| segment.end).sum();
    let too_many = segments.iter().take_while(|segment| {
        let over = total > most;
        total -= segment.end;
        over
    });
    too_many.count()
}

/// Returns how many of the first segments hold only older events. A segment of unknown age is kept, and all behind it.
fn older(sealed: &[Segment], than: Duration, now: Timestamp) -> usize {
    let than = i64::try_from(than.as_millis()).unwrap_or(i64::MAX);
    let is_old = |segment: &&Segment| segment.newest.is_some_and(|newest| has_passed(newest, than, now));
    sealed.iter().take_while(is_old).count()
}

/// Returns whether so many milliseconds have passed since an instant; an overflow counts as not passed.
fn has_passed(since: Timestamp, millis: i64, now: Timestamp) -> bool {
    since.0.checked_add(millis).is_some_and(|end| Timestamp(end).has_come(now))
}

fn by_age(sealed: &[Segment], kept: Duration, now: Timestamp, condemned: &HashMap<u64, Timestamp>) -> Plan {
    let old = &sealed[..older(sealed, kept, now)];
    // An instant in the future was noted by a wrong clock.
    let since = |segment: &Segment| condemned.get(&segment.first).copied().filter(|since| *since <= now).unwrap_or(now);
    let drop = old.iter().take_while(|segment| has_passed(since(segment), GRACE, now)).count();
    Plan {
        drop,
        hide: drop,
        condemned: old[drop..].iter().map(|segment| (segment.first, since(segment))).collect(),
    }
}

#[cfg(test)]
mod tests;
