//! Intervals: closed, in nanoseconds, with the ends of `i64` for no bound; sets of them; and windows relative to now.

use std::collections::BTreeSet;

use mangle::syntax::ast::{Annotation, Bound, BoundKind, Operator, OperatorKind, Premise};

use super::{Fail, term::Binding, value::Value};

/// The first and last instant.
pub(crate) type Interval = (i64, i64);

/// The interval of all time.
pub(crate) const ALWAYS: Interval = (i64::MIN, i64::MAX);

/// Adds an interval to a set: intervals that overlap or touch become one.
pub(crate) fn add(set: &mut Vec<Interval>, new: Interval) -> bool {
    if set.iter().any(|have| have.0 <= new.0 && new.1 <= have.1) {
        return false;
    }
    set.push(new);
    set.sort_unstable();
    let mut merged: Vec<Interval> = Vec::new();
    for &(start, end) in set.iter() {
        match merged.last_mut() {
            Some(last) if start <= last.1.saturating_add(1) => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    *set = merged;
    true
}

/// Returns when a head or a fact holds.
pub(crate) fn of_head(time: &Annotation, binding: &Binding, now: i64) -> Result<Interval, Fail> {
    let start = instant(&time.start, binding, now)?.unwrap_or(i64::MIN);
    let open_end = matches!(time.start.kind, BoundKind::Unbounded).then_some(i64::MAX);
    let end = match &time.end {
        Some(end) => instant(end, binding, now)?.unwrap_or(i64::MAX),
        None => open_end.unwrap_or(start),
    };
    if start > end {
        return Err(Fail::NoResult(format!("{start} is after {end}")));
    }
    Ok((start, end))
}

/// Returns the instant of a bound; `None` for `_`.
fn instant(bound: &Bound, binding: &Binding, now: i64) -> Result<Option<i64>, Fail> {
    Ok(match &bound.kind {
        BoundKind::Time(nanos) => Some(*nanos),
        BoundKind::Now => Some(now),
        BoundKind::Unbounded => None,
        BoundKind::Variable(name) => match binding.get(&**name) {
            Some(Value::Time(nanos)) => Some(*nanos),
            Some(other) => return Err(Fail::NoResult(format!("{other} is no time"))),
            None => return Err(Fail::Unbound),
        },
        BoundKind::Duration(_) => return Err(Fail::NotCovered("a duration as a bound".to_owned())),
    })
}

/// Returns how a premise's annotation fits one interval of a fact: the binding, extended, if it does.
///
/// A bound that has a value must lie in the interval; a variable without a value gets the interval's own bound. `_`
/// beside such a variable fits anything, alone or beside a value it requires no bound.
pub(crate) fn fit(time: &Annotation, interval: Interval, binding: &Binding, now: i64) -> Result<Option<Binding>, Fail> {
    let mut extended = binding.clone();
    let bounds = [(Some(&time.start), interval.0, i64::MIN), (time.end.as_ref(), interval.1, i64::MAX)];
    let free = |bound: &Bound| matches!(&bound.kind, BoundKind::Variable(name) if !binding.contains_key(&**name));
    let any_free = bounds.iter().any(|(bound, ..)| bound.is_some_and(free));
    for (bound, own, open) in bounds {
        let Some(bound) = bound else {
            // `@[_]` concerns both ends.
            if matches!(time.start.kind, BoundKind::Unbounded) && own != open {
                return Ok(None);
            }
            continue;
        };
        match &bound.kind {
            BoundKind::Unbounded if any_free || own == open => {}
            BoundKind::Unbounded => return Ok(None),
            BoundKind::Variable(name) if !extended.contains_key(&**name) => {
                extended.insert(name.to_string(), Value::Time(own));
            }
            _ => {
                let at = instant(bound, &extended, now)?.ok_or(Fail::Unbound)?;
                if at < interval.0 || interval.1 < at {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(extended))
}

/// Returns the variables that occur in annotations.
pub(crate) fn variables(premises: &[Premise]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for premise in premises {
        let Premise::Atom(literal) = premise else { continue };
        let bounds = literal.time.iter().flat_map(|time| [Some(&time.start), time.end.as_ref()]);
        for bound in bounds.flatten() {
            if let BoundKind::Variable(name) = &bound.kind {
                found.insert(name.to_string());
            }
        }
    }
    found
}

/// Returns whether a fact that holds at `interval` satisfies an operator.
pub(crate) fn seen(operator: &Operator, interval: Interval, binding: &Binding, now: i64) -> Result<bool, Fail> {
    let ahead = matches!(operator.kind, OperatorKind::DiamondPlus | OperatorKind::BoxPlus);
    let at = |bound: &Bound| match &bound.kind {
        BoundKind::Duration(nanos) if ahead => Ok(now + nanos),
        BoundKind::Duration(nanos) => Ok(now - nanos),
        _ => instant(bound, binding, now)?.ok_or(Fail::Unbound),
    };
    let one = at(&operator.start)?;
    let other = operator.end.as_ref().map_or(Ok(now), at)?;
    let (first, last) = (one.min(other), one.max(other));
    Ok(match operator.kind {
        OperatorKind::DiamondMinus | OperatorKind::DiamondPlus => interval.0 <= last && first <= interval.1,
        OperatorKind::BoxMinus | OperatorKind::BoxPlus => interval.0 <= first && last <= interval.1,
    })
}
