//! Medians and spreads of what was measured several times.

use serde_json::{Value, json};

/// A median and the extremes around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// The spread of `values`; `None` when there are none.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let median = if values.len() % 2 == 1 {
            values[middle]
        } else {
            f64::midpoint(values[middle - 1], values[middle])
        };
        Some(Self { median, min, max })
    }

    /// The spread as JSON.
    pub(crate) fn json(self) -> Value {
        json!({"median": self.median, "min": self.min, "max": self.max})
    }

    /// `median (min–max)`, with as many digits as the size of the number deserves.
    pub(crate) fn show(self) -> String {
        format!("{} ({}–{})", number(self.median), number(self.min), number(self.max))
    }
}

/// A number with around three significant digits, and thousands apart.
pub(crate) fn number(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    let plain = format!("{value:.decimals$}");
    let (whole, fraction) = plain
        .split_once('.')
        .map_or((plain.as_str(), None), |(whole, fraction)| (whole, Some(fraction)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    fraction.map_or_else(|| format!("{sign}{grouped}"), |fraction| format!("{sign}{grouped}.{fraction}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_odd_and_even_numbers() {
        assert_eq!(
            Spread::of([3.0, 1.0, 2.0]),
            Some(Spread {
                median: 2.0,
                min: 1.0,
                max: 3.0
            })
        );
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]).map(|spread| spread.median), Some(2.5));
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn numbers_have_the_digits_they_deserve() {
        let shown = [0.004, 1.238, 9.999, 15.26, 250.4, 1_234.5, 12_345_678.0, -2.5].map(number);
        assert_eq!(shown, ["0.00", "1.24", "10.0", "15.3", "250", "1,234", "12,345,678", "-2.50"]);
    }
}
