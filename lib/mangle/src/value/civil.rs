//! Instants and durations as text, in UTC. Time zones are handled by the built-ins that take one.

const SECOND: i64 = 1_000_000_000;
const DAY_SECONDS: i64 = 86_400;

/// Returns the days since 1970-01-01 of a date in the proleptic Gregorian calendar.
pub(crate) fn days_from_date(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Returns year, month and day of a day since 1970-01-01.
pub(crate) fn date_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = (shifted + 2) % 12 + 1;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// An instant split into date and time, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Civil {
    pub year: i64,
    pub month: i64,
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
    pub nanos: i64,
}

impl Civil {
    pub(crate) fn of(nanos: i64) -> Self {
        let (seconds, nanos) = (nanos.div_euclid(SECOND), nanos.rem_euclid(SECOND));
        let (days, rest) = (seconds.div_euclid(DAY_SECONDS), seconds.rem_euclid(DAY_SECONDS));
        let (year, month, day) = date_from_days(days);
        Self {
            year,
            month,
            day,
            hour: rest / 3_600,
            minute: rest / 60 % 60,
            second: rest % 60,
            nanos,
        }
    }

    /// Returns the instant; `None` if 64 bits of nanoseconds do not reach it, or it is not a date.
    pub(crate) fn nanos(self) -> Option<i64> {
        let in_range = (1..=12).contains(&self.month)
            && (1..=days_in_month(self.year, self.month)).contains(&self.day)
            && (0..24).contains(&self.hour)
            && (0..60).contains(&self.minute)
            && (0..60).contains(&self.second)
            && (0..SECOND).contains(&self.nanos);
        if !in_range {
            return None;
        }
        let seconds = days_from_date(self.year, self.month, self.day) * DAY_SECONDS + self.hour * 3_600 + self.minute * 60 + self.second;
        // In 128 bits, because the product alone may be just out of range when the sum is not.
        i64::try_from(i128::from(seconds) * i128::from(SECOND) + i128::from(self.nanos)).ok()
    }
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Formats an instant as RFC 3339 in UTC with as many digits of a second as it needs.
pub fn write_time(nanos: i64) -> String {
    let c = Civil::of(nanos);
    let fraction = fraction(c.nanos, 9);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{fraction}Z",
        c.year, c.month, c.day, c.hour, c.minute, c.second
    )
}

/// Returns `.25` for 250 of 1,000 (three digits), and nothing for zero.
fn fraction(part: i64, digits: usize) -> String {
    let text = format!("{part:0digits$}");
    let text = text.trim_end_matches('0');
    if text.is_empty() { String::new() } else { format!(".{text}") }
}

/// Parses an instant in RFC 3339: date, `T`, time, then `Z` or an offset.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let (date, time) = text.split_once('T')?;
    let (year, month, day) = parse_date(date)?;
    let zone_at = time.find(['Z', '+', '-'])?;
    let (clock, zone) = time.split_at(zone_at);
    let offset = match zone {
        "Z" => 0,
        zone => {
            let (hours, minutes) = zone[1..].split_once(':')?;
            let minutes = digits(hours, 2)? * 60 + digits(minutes, 2)?;
            if zone.starts_with('-') { -minutes } else { minutes }
        }
    };
    let (clock, part) = clock.split_once('.').map_or((clock, None), |(clock, part)| (clock, Some(part)));
    let mut clock = clock.split(':');
    let civil = Civil {
        year,
        month,
        day,
        hour: digits(clock.next()?, 2)?,
        minute: digits(clock.next()?, 2)?,
        second: digits(clock.next()?, 2)?,
        nanos: part.map_or(Some(0), parse_fraction)?,
    };
    if clock.next().is_some() {
        return None;
    }
    civil.nanos()?.checked_sub(offset * 60 * SECOND)
}

/// Parses a date: `2024-01-31`.
pub(crate) fn parse_date(text: &str) -> Option<(i64, i64, i64)> {
    let mut parts = text.split('-');
    let date = (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    parts.next().is_none().then_some(date)
}

/// Parses the digits after the point of a second as nanoseconds; finer digits are dropped.
pub(crate) fn parse_fraction(text: &str) -> Option<i64> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let nine: String = text.chars().chain("000000000".chars()).take(9).collect();
    nine.parse().ok()
}

/// Parses exactly `count` decimal digits.
pub(crate) fn digits(text: &str, count: usize) -> Option<i64> {
    (text.len() == count && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Formats a duration: `1h30m0s`, `1.5s`, `250ms`, `0s`.
pub fn write_duration(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let size = nanos.unsigned_abs();
    if size < SECOND as u64 {
        let (unit, digits, name) = match size {
            0 => return "0s".to_owned(),
            1..1_000 => (1, 0, "ns"),
            1_000..1_000_000 => (1_000, 3, "µs"),
            _ => (1_000_000, 6, "ms"),
        };
        let part = if digits == 0 {
            String::new()
        } else {
            fraction((size % unit) as i64, digits)
        };
        return format!("{sign}{}{part}{name}", size / unit);
    }
    let (seconds, nanos) = (size / SECOND as u64, (size % SECOND as u64) as i64);
    let last = format!("{}{}s", seconds % 60, fraction(nanos, 9));
    match (seconds / 3_600, seconds / 60 % 60) {
        (0, 0) => format!("{sign}{last}"),
        (0, minutes) => format!("{sign}{minutes}m{last}"),
        (hours, minutes) => format!("{sign}{hours}h{minutes}m{last}"),
    }
}

/// Parses a duration of `[+-]` and numbers with a unit (`h`, `m`, `s`, `ms`, `us`, `µs`, `ns`), such as `1h30m` or
/// `-1.5h`.
pub fn parse_duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let number_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|&end| end > 0)?;
        let (number, after) = rest.split_at(number_end);
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        total = total.checked_add(scaled(number, unit_nanos(unit)?)?)?;
        if total > 1 << 63 {
            return None;
        }
        rest = after;
    }
    i64::try_from(if negative { -total } else { total }).ok()
}

fn unit_nanos(unit: &str) -> Option<i64> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => SECOND,
        "m" => 60 * SECOND,
        "h" => 3_600 * SECOND,
        _ => return None,
    })
}

/// Returns `number` (digits with at most one point) times `unit`; fractions of a nanosecond are dropped.
fn scaled(number: &str, unit: i64) -> Option<i128> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && part.is_empty()) || part.contains('.') {
        return None;
    }
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let nanos = whole.checked_mul(i128::from(unit))?;
    // Fifteen digits are finer than a nanosecond of an hour.
    let part = &part[..part.len().min(15)];
    let fraction: i128 = if part.is_empty() { 0 } else { part.parse().ok()? };
    let nanos = nanos + fraction * i128::from(unit) / 10_i128.pow(part.len() as u32);
    Some(nanos)
}
