//! Local times. The time zones are those compiled in, never those of the machine.

use jiff::{
    Timestamp, Zoned,
    civil::DateTime,
    tz::{Offset, TimeZone, TimeZoneDatabase},
};

use super::{
    context::{Context, Fault},
    entry::{FunctionEntry, entry, exactly},
};
use crate::value::{Civil, Value};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    entry(
        "fn:time:format",
        exactly(&["/time", "/name"]),
        "/string",
        "A time as text in UTC, down to the `/year`, `/month`, `/day`, `/hour`, `/minute`, `/second`, `/millisecond`, `/microsecond` or `/nanosecond`.",
        "fn:time:format(fn:time:parse_rfc3339(\"2024-02-29T23:59:58Z\"), /minute)",
        "\"2024-02-29T23:59Z\"",
        |cx, args| {
            let (time, unit) = (cx.time(args[0])?, cx.name(args[1])?);
            let text = write(&Stamp::utc(time), unit)?;
            Ok(cx.interner.string(&text))
        },
    ),
    entry(
        "fn:time:format_civil",
        exactly(&["/time", "/string", "/name"]),
        "/string",
        "A time as text in a time zone, down to a unit as in `fn:time:format`.",
        "fn:time:format_civil(fn:time:parse_rfc3339(\"2024-02-29T23:59:58Z\"), \"Europe/Berlin\", /second)",
        "\"2024-03-01T00:59:58+01:00\"",
        |cx, args| {
            let (time, zone, unit) = (cx.time(args[0])?, zone(cx.string(args[1])?)?, cx.name(args[2])?);
            let text = write(&Stamp::zoned(time, &zone)?, unit)?;
            Ok(cx.interner.string(&text))
        },
    ),
    entry(
        "fn:time:parse_civil",
        exactly(&["/string", "/string"]),
        "/time",
        "A time from a date and time of day without an offset, as the clocks of a time zone show it.",
        "fn:time:parse_civil(\"2024-03-01T00:59:58\", \"Europe/Berlin\")",
        "2024-02-29T23:59:58Z",
        parse,
    ),
    entry(
        "fn:time:trunc_civil",
        exactly(&["/time", "/string", "/name"]),
        "/time",
        "The start of the `/year`, `/month`, `/week` (Monday) or `/day` of a time by the calendar of a time zone.",
        "fn:time:trunc_civil(fn:time:parse_rfc3339(\"2024-02-29T23:59:58Z\"), \"Europe/Berlin\", /month)",
        "2024-02-29T23:00:00Z",
        truncate,
    ),
];

/// An instant as local clocks show it, with the offset from UTC.
struct Stamp {
    civil: Civil,
    offset_minutes: i64,
}

impl Stamp {
    fn utc(nanos: i64) -> Self {
        Self {
            civil: Civil::of(nanos),
            offset_minutes: 0,
        }
    }

    fn zoned(nanos: i64, zone: &TimeZone) -> Result<Self, Fault> {
        let offset = i64::from(timestamp(nanos)?.to_zoned(zone.clone()).offset().seconds());
        let shown = nanos
            .checked_add(offset * 1_000_000_000)
            .ok_or(Fault::Range("a time of that zone"))?;
        Ok(Self {
            civil: Civil::of(shown),
            offset_minutes: offset / 60,
        })
    }

    fn offset(&self) -> String {
        if self.offset_minutes == 0 {
            return "Z".to_owned();
        }
        let sign = if self.offset_minutes < 0 { '-' } else { '+' };
        let minutes = self.offset_minutes.abs();
        format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

fn write(stamp: &Stamp, unit: &str) -> Result<String, Fault> {
    let c = stamp.civil;
    let day = format!("{:04}-{:02}-{:02}", c.year, c.month, c.day);
    let minute = format!("{day}T{:02}:{:02}", c.hour, c.minute);
    let offset = stamp.offset();
    Ok(match unit {
        "/year" => format!("{:04}", c.year),
        "/month" => format!("{:04}-{:02}", c.year, c.month),
        "/day" => day,
        "/hour" => format!("{day}T{:02}{offset}", c.hour),
        "/minute" => format!("{minute}{offset}"),
        "/second" => format!("{minute}:{:02}{offset}", c.second),
        "/millisecond" => format!("{minute}:{:02}.{:03}{offset}", c.second, c.nanos / 1_000_000),
        "/microsecond" => format!("{minute}:{:02}.{:06}{offset}", c.second, c.nanos / 1_000),
        "/nanosecond" if c.nanos == 0 => format!("{minute}:{:02}{offset}", c.second),
        "/nanosecond" => {
            let digits = format!("{:09}", c.nanos);
            format!("{minute}:{:02}.{}{offset}", c.second, digits.trim_end_matches('0'))
        }
        other => {
            return Err(Fault::Word {
                wanted: "a unit of time",
                got: other.to_owned(),
                known: "/year, /month, /day, /hour, /minute, /second, /millisecond, /microsecond, /nanosecond",
            });
        }
    })
}

fn zone(name: &str) -> Result<TimeZone, Fault> {
    if name == "UTC" || name.is_empty() {
        return Ok(TimeZone::UTC);
    }
    TimeZoneDatabase::bundled().get(name).map_err(|_| Fault::Word {
        wanted: "a time zone",
        got: name.to_owned(),
        known: "the IANA names, such as Europe/Berlin",
    })
}

fn timestamp(nanos: i64) -> Result<Timestamp, Fault> {
    Timestamp::from_nanosecond(i128::from(nanos)).map_err(|_| Fault::Range("a time"))
}

const BEYOND: Fault = Fault::Range("a time that 64 bits of nanoseconds reach");

fn nanos(zoned: &Zoned) -> Result<i64, Fault> {
    i64::try_from(zoned.timestamp().as_nanosecond()).map_err(|_| BEYOND)
}

fn parse(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    let (text, zone) = (cx.string(args[0])?, zone(cx.string(args[1])?)?);
    let unreadable = || Fault::Text {
        wanted: "a date and time like `2024-02-29T23:59:58`",
        got: text.to_owned(),
    };
    if text.len() < "2024-02-29T23:59:58".len() {
        return Err(unreadable());
    }
    if text.as_bytes()["2024-02-29".len()] != b'T' {
        return Err(unreadable());
    }
    let civil: DateTime = text.parse().map_err(|_| unreadable())?;
    let time = i64::try_from(instant(civil, &zone)?.as_nanosecond()).map_err(|_| BEYOND)?;
    Ok(cx.interner.time(time))
}

/// Returns the instant of a civil time. Where the zone's clocks show it twice or never, the offset is the one in force
/// at that reading of a UTC clock, unless another one holds at the resulting instant: this is what the public engine
/// does.
fn instant(civil: DateTime, zone: &TimeZone) -> Result<Timestamp, Fault> {
    let utc = Offset::UTC.to_timestamp(civil).map_err(|_| BEYOND)?;
    let guess = zone.to_offset(utc).to_timestamp(civil).map_err(|_| BEYOND)?;
    zone.to_offset(guess).to_timestamp(civil).map_err(|_| BEYOND)
}

fn truncate(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    let (time, zone) = (cx.time(args[0])?, zone(cx.string(args[1])?)?);
    let date = timestamp(time)?.to_zoned(zone.clone()).date();
    let first = match cx.name(args[2])? {
        "/year" => date.first_of_year(),
        "/month" => date.first_of_month(),
        "/week" => date
            .checked_sub(jiff::Span::new().days(date.weekday().to_monday_zero_offset()))
            .map_err(|_| Fault::Range("a date"))?,
        "/day" => date,
        other => {
            return Err(Fault::Word {
                wanted: "a unit of the calendar",
                got: other.to_owned(),
                known: "/year, /month, /week, /day",
            });
        }
    };
    let start = first.to_zoned(zone).map_err(|_| Fault::Range("a time of that zone"))?;
    let start = nanos(&start)?;
    Ok(cx.interner.time(start))
}
