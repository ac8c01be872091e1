//! Times in their form on the wire: RFC 3339 (MGP §3.6, §5.4, §6.3).

use jiff::fmt::temporal::DateTimePrinter;
use model::Timestamp;

/// Formats a time in UTC with three digits of a second, as in §6.3: `2026-02-27T12:00:00.000Z`. Times beyond the calendar become its first or last.
#[must_use]
pub fn format(at: Timestamp) -> String {
    let limit = if at.0 < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    let instant = jiff::Timestamp::from_millisecond(at.0).unwrap_or(limit);
    let mut text = String::with_capacity(24);
    let printed = DateTimePrinter::new().precision(Some(3)).print_timestamp(&instant, &mut text);
    debug_assert!(printed.is_ok(), "a string takes everything");
    text
}

/// Parses an RFC 3339 `date-time` with any offset; fractions of a millisecond are dropped. Returns `None` for other texts, also for a date alone,
/// whose beginning depends on the time zone.
#[must_use]
pub fn parse(text: &str) -> Option<Timestamp> {
    is_date_time(text.as_bytes())
        .then(|| text.parse::<jiff::Timestamp>().ok())
        .flatten()
        .map(|instant| Timestamp(instant.as_millisecond()))
}

/// `YYYY-MM-DDThh:mm:ss[.fraction](Z|±hh:mm)`: the parser behind takes more than that.
fn is_date_time(text: &[u8]) -> bool {
    const SHAPE: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let fits = |shape: &[u8], text: &[u8]| {
        shape.len() == text.len()
            && shape.iter().zip(text).all(|(shape, byte)| match shape {
                b'd' => byte.is_ascii_digit(),
                sign => byte.eq_ignore_ascii_case(sign),
            })
    };
    let Some((head, mut rest)) = text.split_at_checked(SHAPE.len()) else {
        return false;
    };
    if let Some(fraction) = rest.strip_prefix(b".") {
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || digits > 9 {
            return false;
        }
        rest = &fraction[digits..];
    }
    fits(SHAPE, head) && (fits(b"Z", rest) || fits(b"+dd:dd", rest) || fits(b"-dd:dd", rest))
}

#[cfg(test)]
mod tests;
