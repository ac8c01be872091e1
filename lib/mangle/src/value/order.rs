//! The canonical order of values, which never depends on when a value was made.

use std::cmp::Ordering;

use super::{Interner, Value, View};

impl Interner {
    /// Compares values: numbers and floats by size, then times, durations, names, strings, bytes, pairs, lists, maps,
    /// structs; texts by bytes, compound values item by item.
    pub fn compare(&self, mut a: Value, mut b: Value) -> Ordering {
        // One value, one word: the first two items that differ decide. So there is nothing to return to, however deeply
        // they nest.
        loop {
            if a == b {
                return Ordering::Equal;
            }
            if let (Some(a), Some(b)) = (a.small_number(), b.small_number()) {
                return a.cmp(&b);
            }
            let differing = match (self.view(a), self.view(b)) {
                (View::Number(a), View::Number(b)) | (View::Time(a), View::Time(b)) | (View::Duration(a), View::Duration(b)) => {
                    return a.cmp(&b);
                }
                (View::Float(a), View::Float(b)) => return a.total_cmp(&b),
                (View::Number(a), View::Float(b)) => return number_and_float(a, b),
                (View::Float(a), View::Number(b)) => return number_and_float(b, a).reverse(),
                (View::Name(a), View::Name(b)) | (View::String(a), View::String(b)) => return a.cmp(b),
                (View::Bytes(a), View::Bytes(b)) => return a.cmp(b),
                (View::Pair(a, b), View::Pair(c, d)) => differing([a, b].into_iter(), [c, d].into_iter()),
                (View::List(a), View::List(b)) => differing(a.iter(), b.iter()),
                (View::Map(a), View::Map(b)) | (View::Struct(a), View::Struct(b)) => {
                    differing(a.iter().flat_map(|(k, v)| [k, v]), b.iter().flat_map(|(k, v)| [k, v]))
                }
                _ => return a.kind().cmp(&b.kind()),
            };
            match differing {
                Ok(items) => (a, b) = items,
                Err(order) => return order,
            }
        }
    }

    /// Compares rows, argument by argument.
    pub fn compare_rows(&self, a: &[Value], b: &[Value]) -> Ordering {
        differing(a.iter().copied(), b.iter().copied()).map_or_else(|order| order, |(a, b)| self.compare(a, b))
    }
}

/// Returns the first items that differ; if there are none, which of the two has fewer.
fn differing(mut a: impl Iterator<Item = Value>, mut b: impl Iterator<Item = Value>) -> Result<(Value, Value), Ordering> {
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Err(Ordering::Equal),
            (None, Some(_)) => return Err(Ordering::Less),
            (Some(_), None) => return Err(Ordering::Greater),
            (Some(a), Some(b)) if a != b => return Ok((a, b)),
            _ => {}
        }
    }
}

/// Compares exactly by size; of two of equal size the number comes first.
fn number_and_float(number: i64, float: f64) -> Ordering {
    // 2^63 as a float: no number is that large.
    const TOP: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() || float >= TOP {
        return Ordering::Less;
    }
    if float < -TOP {
        return Ordering::Greater;
    }
    let whole = float.trunc();
    number
        .cmp(&(whole as i64))
        .then_with(|| if float < whole { Ordering::Greater } else { Ordering::Less })
}
