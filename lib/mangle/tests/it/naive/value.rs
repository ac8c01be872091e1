//! The values of the naive evaluator, and how they are printed.

use std::fmt;

/// A constant. Times and durations are nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    Number(i64),
    Time(i64),
    Duration(i64),
    Text(String),
    Name(String),
    Bytes(Vec<u8>),
    Float(Real),
    Pair(Box<(Self, Self)>),
    List(Vec<Self>),
    /// A map, with its entries in the order of the keys.
    Map(Vec<(Self, Self)>),
    Struct(Vec<(Self, Self)>),
}

/// A float, in the total order of IEEE 754.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Real(pub f64);

impl PartialEq for Real {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Real {}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Real {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Time(nanos) => f.write_str(&time(*nanos)),
            Self::Duration(nanos) => f.write_str(&duration(*nanos)),
            Self::Text(text) => write!(f, "\"{}\"", text.chars().map(escaped).collect::<String>()),
            Self::Name(name) => f.write_str(name),
            Self::Pair(pair) => write!(f, "fn:pair({}, {})", pair.0, pair.1),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::to_string).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Self::Float(Real(float)) => write!(f, "{float}"),
            Self::Bytes(bytes) => write!(f, "b\"{}\"", bytes.escape_ascii()),
            Self::Map(entries) => write!(f, "[{}]", listed(entries)),
            Self::Struct(fields) => write!(f, "{{{}}}", listed(fields)),
        }
    }
}

fn listed(entries: &[(Value, Value)]) -> String {
    let entries: Vec<String> = entries.iter().map(|(key, value)| format!("{key} : {value}")).collect();
    entries.join(", ")
}

fn escaped(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\t' => "\\t".to_owned(),
        '\\' | '"' | '\'' => format!("\\{c}"),
        ' '..='~' => c.to_string(),
        other => format!("\\u{{{:06x}}}", other as u32),
    }
}

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 24 * 60 * 60;

/// Formats an instant in RFC 3339, UTC.
pub(crate) fn time(nanos: i64) -> String {
    let seconds = nanos.div_euclid(SECOND);
    let (year, month, day) = date(seconds.div_euclid(DAY));
    let clock = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    let fraction = fraction(nanos.rem_euclid(SECOND));
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// Returns the date `days` days after 1970-01-01, by counting there.
fn date(mut days: i64) -> (i64, usize, i64) {
    let mut year = 1970;
    while days < 0 {
        year -= 1;
        days += days_of(year);
    }
    while days >= days_of(year) {
        days -= days_of(year);
        year += 1;
    }
    let february = days_of(year) - 337;
    let mut month = 0;
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    (year, month + 1, days + 1)
}

/// Parses an instant such as `2024-06-01T12:00:00Z`; other forms of RFC 3339 are not supported.
pub(crate) fn time_of(text: &str) -> Option<i64> {
    let parts: Vec<i64> = text
        .strip_suffix('Z')?
        .split(['-', 'T', ':'])
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    let [year, month, day, hour, minute, second] = parts[..] else {
        return None;
    };
    let mut days = 0;
    while date(days) != (year, usize::try_from(month).ok()?, day) {
        days += 1;
        if days > 100_000 {
            return None;
        }
    }
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * SECOND)
}

/// Parses a duration such as `1h30m`: whole numbers with units.
pub(crate) fn duration_of(text: &str) -> Option<i64> {
    let (mut total, mut rest) = (0, text);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: i64 = rest[..digits].parse().ok()?;
        let end = rest[digits..]
            .find(|c: char| c.is_ascii_digit())
            .map_or(rest.len(), |at| digits + at);
        let unit = match &rest[digits..end] {
            "h" => 3_600 * SECOND,
            "m" => 60 * SECOND,
            "s" => SECOND,
            "ms" => SECOND / 1_000,
            "us" => SECOND / 1_000_000,
            "ns" => 1,
            _ => return None,
        };
        total += number * unit;
        rest = &rest[end..];
    }
    Some(total)
}

fn days_of(year: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if leap { 366 } else { 365 }
}

/// Returns `.5` for half a second, and nothing for zero.
fn fraction(nanos: i64) -> String {
    match nanos {
        0 => String::new(),
        nanos => format!(".{nanos:09}").trim_end_matches('0').to_owned(),
    }
}

/// Formats a duration: `1h2m3.5s`. The programs of the generator have no durations below a second.
fn duration(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let size = nanos.unsigned_abs() as i64;
    let (hours, minutes, seconds) = (size / SECOND / 3600, size / SECOND / 60 % 60, size / SECOND % 60);
    let seconds = format!("{seconds}{}s", fraction(size % SECOND));
    match (hours, minutes) {
        (0, 0) => format!("{sign}{seconds}"),
        (0, _) => format!("{sign}{minutes}m{seconds}"),
        _ => format!("{sign}{hours}h{minutes}m{seconds}"),
    }
}
