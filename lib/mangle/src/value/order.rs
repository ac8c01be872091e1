//! The canonical order of values: it never depends on when a value was made.

use std::cmp::Ordering;

use super::{Interner, Value, View};

impl Interner {
    /// Numbers and floats by size, then times, durations, names, strings, bytes, pairs, lists, maps, structs; texts by bytes,
    /// what is made of values item by item.
    pub fn compare(&self, a: Value, b: Value) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        if let (Some(a), Some(b)) = (a.small_number(), b.small_number()) {
            return a.cmp(&b);
        }
        match (self.view(a), self.view(b)) {
            (View::Number(a), View::Number(b)) | (View::Time(a), View::Time(b)) | (View::Duration(a), View::Duration(b)) => a.cmp(&b),
            (View::Float(a), View::Float(b)) => a.total_cmp(&b),
            (View::Number(a), View::Float(b)) => number_and_float(a, b),
            (View::Float(a), View::Number(b)) => number_and_float(b, a).reverse(),
            (View::Name(a), View::Name(b)) | (View::String(a), View::String(b)) => a.cmp(b),
            (View::Bytes(a), View::Bytes(b)) => a.cmp(b),
            (View::Pair(a, b), View::Pair(c, d)) => self.compare(a, c).then_with(|| self.compare(b, d)),
            (View::List(a), View::List(b)) => self.compare_items(a.iter(), b.iter()),
            (View::Map(a), View::Map(b)) | (View::Struct(a), View::Struct(b)) => {
                self.compare_items(a.iter().flat_map(|(k, v)| [k, v]), b.iter().flat_map(|(k, v)| [k, v]))
            }
            _ => a.kind().cmp(&b.kind()),
        }
    }

    /// Rows, argument by argument.
    pub fn compare_rows(&self, a: &[Value], b: &[Value]) -> Ordering {
        self.compare_items(a.iter().copied(), b.iter().copied())
    }

    fn compare_items(&self, mut a: impl Iterator<Item = Value>, mut b: impl Iterator<Item = Value>) -> Ordering {
        loop {
            match (a.next(), b.next()) {
                (None, None) => return Ordering::Equal,
                (None, Some(_)) => return Ordering::Less,
                (Some(_), None) => return Ordering::Greater,
                (Some(a), Some(b)) => match self.compare(a, b) {
                    Ordering::Equal => {}
                    unequal => return unequal,
                },
            }
        }
    }
}

/// By size, exactly; of two that are equally large the number comes first.
fn number_and_float(number: i64, float: f64) -> Ordering {
    // 2^63 as a float: from there on no number is as large.
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
