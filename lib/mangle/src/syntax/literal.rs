//! The values of literals: escapes, numbers, times and durations.

use super::source::Span;

/// An invalid escape, and which bytes of the literal it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadEscape {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) why: &'static str,
}

impl BadEscape {
    /// Returns the place, for a literal whose content begins at `content`.
    pub(crate) fn span(&self, content: u32) -> Span {
        Span::new(content + self.start as u32, content + self.end as u32)
    }
}

/// Resolves the escapes in the text between the quotes. `\x` of a byte string may be any byte, of a string only ASCII.
/// In a string, every line ends with one `\n`, however the file is written.
pub(crate) fn unescape(text: &str, is_bytes: bool) -> Result<Vec<u8>, BadEscape> {
    if !is_bytes && text.contains('\r') {
        return unescape(&text.replace("\r\n", "\n").replace('\r', "\n"), is_bytes);
    }
    let mut out = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == b'\\') {
        let start = at + found;
        out.extend_from_slice(&bytes[at..start]);
        at = escape(text, start, is_bytes, &mut out)?;
    }
    out.extend_from_slice(&bytes[at..]);
    Ok(out)
}

/// Resolves the escape at `start` and returns where it ends.
fn escape(text: &str, start: usize, is_bytes: bool, out: &mut Vec<u8>) -> Result<usize, BadEscape> {
    let bytes = text.as_bytes();
    let wide = |length: usize| {
        (start + length..=text.len())
            .find(|&end| text.is_char_boundary(end))
            .unwrap_or(text.len())
    };
    let bad = |length: usize, why| BadEscape {
        start,
        end: wide(length),
        why,
    };
    let simple = match bytes.get(start + 1) {
        Some(b'n' | b'\n') => b'\n',
        Some(b't') => b'\t',
        Some(&same @ (b'"' | b'\'' | b'\\' | b'`')) => same,
        Some(b'x') => {
            let value = text.get(start + 2..start + 4).and_then(hex);
            let value = value.ok_or_else(|| bad(2, "`\\x` takes two hexadecimal digits"))?;
            if value >= 0x80 && !is_bytes {
                return Err(bad(4, "in a string, `\\x` goes up to `\\x7f`: write `\\u{..}`"));
            }
            out.push(value as u8);
            return Ok(start + 4);
        }
        Some(b'u') => {
            let digits = text.get(start + 2..).and_then(|rest| rest.strip_prefix('{'));
            let digits = digits.and_then(|rest| rest.split_once('}')).map(|(digits, _)| digits);
            let digits = digits.filter(|digits| (4..=6).contains(&digits.len()));
            let digits = digits.ok_or_else(|| bad(2, "`\\u` takes four to six hexadecimal digits in braces"))?;
            let length = digits.len() + 4;
            let value = hex(digits).and_then(char::from_u32);
            let value = value.ok_or_else(|| bad(length, "this is no Unicode character"))?;
            out.extend_from_slice(value.encode_utf8(&mut [0; 4]).as_bytes());
            return Ok(start + length);
        }
        _ => {
            return Err(bad(
                2,
                "the escapes are \\n \\t \\\" \\' \\\\ \\xHH \\u{HHHH} and a backslash before a new line",
            ));
        }
    };
    out.push(simple);
    Ok(start + 2)
}

fn hex(digits: &str) -> Option<u32> {
    let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all.then(|| u32::from_str_radix(digits, 16).ok())?
}

const SECOND: i64 = 1_000_000_000;

/// Returns the nanoseconds of `7d`, `1h30m`, `500ms`; `None` if they do not fit 64 bits.
pub(crate) fn duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let mut total: i64 = 0;
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
        let (unit, after) = after.split_at(after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len()));
        let scale = match unit {
            "d" => 24 * 3600 * SECOND,
            "h" => 3600 * SECOND,
            "m" => 60 * SECOND,
            "s" => SECOND,
            "ms" => 1_000_000,
            "us" => 1_000,
            "ns" => 1,
            _ => return None,
        };
        total = total.checked_add(number.parse::<i64>().ok()?.checked_mul(scale)?)?;
        rest = after;
    }
    Some(if negative { -total } else { total })
}

/// Returns the nanoseconds since 1970 of `2024-01-15`, `2024-01-15T10:30:00`, with a fraction, `Z` or an offset.
pub(crate) fn timestamp(text: &str) -> Option<i64> {
    let (date, time) = text.split_once('T').map_or((text, None), |(date, time)| (date, Some(time)));
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    let days = days_since_1970(year, month, day);
    let (seconds, nanos) = time.map_or(Some((0, 0)), time_of_day)?;
    let total = i128::from(days * 86_400 + seconds) * i128::from(SECOND) + i128::from(nanos);
    i64::try_from(total).ok()
}

/// Returns the seconds and nanoseconds of `10:30:00.5Z`; an offset is subtracted.
fn time_of_day(text: &str) -> Option<(i64, i64)> {
    let (clock, offset) = match text.find(['Z', '+', '-']) {
        Some(at) => (&text[..at], offset(&text[at..])?),
        None => (text, 0),
    };
    let (clock, fraction) = clock.split_once('.').map_or((clock, ""), |(clock, fraction)| (clock, fraction));
    let [hour, minute, second] = two_digits(clock)?;
    if hour > 23 || minute > 59 || second > 59 || fraction.len() > 9 {
        return None;
    }
    let nanos = format!("{fraction:0<9}").parse::<i64>().ok()?;
    Some((hour * 3600 + minute * 60 + second - offset, nanos))
}

fn offset(text: &str) -> Option<i64> {
    let sign = match text.as_bytes().first()? {
        b'Z' => return (text.len() == 1).then_some(0),
        b'-' => -1,
        _ => 1,
    };
    let [hour, minute] = two_digits(&text[1..])?;
    (hour <= 23 && minute <= 59).then_some(sign * (hour * 3600 + minute * 60))
}

/// Reads `N` numbers of two digits each with colons between them.
fn two_digits<const N: usize>(text: &str) -> Option<[i64; N]> {
    let mut out = [0; N];
    let mut parts = text.split(':');
    for slot in &mut out {
        let part = parts.next().filter(|part| part.len() == 2)?;
        *slot = part.parse().ok()?;
    }
    parts.next().is_none().then_some(out)
}

const fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days from 1970-01-01 in the proleptic Gregorian calendar: years are counted from March, so that a leap
/// day is last.
const fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests;
