//! Formats points in time for the wire.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// ISO 8601 in UTC with milliseconds. An instant before 1970 becomes its beginning, one beyond the calendar the calendar's end.
pub(crate) fn iso(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let milliseconds = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    let instant = Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::MAX);
    format!("{instant:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_around_leap_days() {
        let at = |seconds| iso(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59.000Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00.000Z");
        assert_eq!(at(1_795_213_421), "2026-11-20T22:23:41.000Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00.000Z");
    }
}
