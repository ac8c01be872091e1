//! Durations, sizes, rates and addresses as people write them.

use std::net::SocketAddr;
use std::time::Duration;

use policy::Rate;

/// Parses a duration: `"500ms"`, `"30s"`, `"5m"`, `"1h"`, `"7d"`.
///
/// # Errors
/// When the text has no number, no known unit, is zero or longer than a year; the error completes "is not a duration: ".
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    time(text, 366, "a year")
}

/// Parses a duration of up to a century, otherwise like [`duration`].
///
/// # Errors
/// The errors of [`duration`], with the longer limit.
pub fn age(text: &str) -> Result<Duration, String> {
    time(text, 36_525, "a century")
}

/// Parses a rate, `"100/1m"`: a number of calls in a time; `"5/s"` is `"5/1s"`.
///
/// # Errors
/// When one of the two parts is invalid; the error completes "is not a rate: ".
pub(super) fn rate(text: &str) -> Result<Rate, String> {
    let (calls, per) = text.split_once('/').ok_or("it needs a number, `/` and a time, such as `100/1m`")?;
    let calls = match calls.trim().parse::<u32>() {
        Ok(0) | Err(_) => return Err("before the `/` stands a whole number from 1".to_owned()),
        Ok(calls) => calls,
    };
    let per = per.trim();
    let per = match per.starts_with(|c: char| c.is_ascii_digit()) {
        true => duration(per),
        false => duration(&format!("1{per}")),
    };
    Ok(Rate { calls, per: per? })
}

fn time(text: &str, most_days: u64, most: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let number: u64 = number.parse().map_err(|_| "it needs a whole number and a unit".to_owned())?;
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        "" => return Err(format!("it needs a unit, such as `{number}s` or `{number}ms`")),
        _ => return Err("its unit must be `ms`, `s`, `m`, `h` or `d`".to_owned()),
    };
    match number.checked_mul(factor) {
        Some(0) => Err("it must be more than zero".to_owned()),
        Some(ms) if ms <= most_days * 86_400_000 => Ok(Duration::from_millis(ms)),
        _ => Err(format!("it must be at most {most}")),
    }
}

/// Parses a size: `"64KiB"`, `"16MiB"`, `"1GB"`, `"4096"`.
///
/// # Errors
/// When the text has no number, no known unit, or is zero; the error completes "is not a size: ".
pub(super) fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let number: u64 = number.parse().map_err(|_| "it needs a whole number and a unit".to_owned())?;
    let factor: u64 = match unit {
        "" | "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" | "K" => 1 << 10,
        "MiB" | "M" => 1 << 20,
        "GiB" | "G" => 1 << 30,
        _ => return Err("its unit must be `B`, `KiB`, `MiB`, `GiB`, `kB`, `MB` or `GB`".to_owned()),
    };
    match number.checked_mul(factor) {
        Some(0) => Err("it must be more than zero".to_owned()),
        Some(bytes) if bytes <= 1 << 40 => Ok(bytes),
        _ => Err("it must be at most 1024GiB".to_owned()),
    }
}

/// Parses an address to listen on; `localhost` is the IPv4 loopback.
///
/// # Errors
/// When the text is no such address; the error says so.
pub fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let numeric = text
        .strip_prefix("localhost:")
        .map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    numeric.parse().map_err(|_| "it is not an IP address and a port")
}

fn split(text: &str) -> (&str, &str) {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    (number, unit.trim())
}
