//! Instants, in UTC.

use super::{
    context::{Context, Fault},
    entry::{FunctionEntry, Params, entry, exactly},
};
use crate::value::{Civil, Value, parse_rfc3339};

const ONE: Params = exactly(&["/time"]);
const EXAMPLE: &str = "2024-02-29T23:59:58Z";

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    entry(
        "fn:time:now",
        exactly(&[]),
        "/time",
        "The evaluation time: the one that was given, the same throughout.",
        "fn:time:now()",
        EXAMPLE,
        |cx, _| Ok(cx.interner.time(cx.now)),
    ),
    entry(
        "fn:time:add",
        exactly(&["/time", "/duration"]),
        "/time",
        "A time so much later.",
        "fn:time:add(fn:time:from_unix_nanos(0), fn:duration:parse(\"90m\"))",
        "1970-01-01T01:30:00Z",
        |cx, args| {
            let nanos = cx.time(args[0])?.wrapping_add(cx.duration(args[1])?);
            Ok(cx.interner.time(nanos))
        },
    ),
    entry(
        "fn:time:sub",
        exactly(&["/time", "/time"]),
        "/duration",
        "How much later the first time is than the second.",
        "fn:time:sub(fn:time:from_unix_nanos(9), fn:time:from_unix_nanos(2))",
        "7ns",
        |cx, args| {
            let nanos = cx.time(args[0])?.wrapping_sub(cx.time(args[1])?);
            Ok(cx.interner.duration(nanos))
        },
    ),
    entry(
        "fn:time:parse_rfc3339",
        exactly(&["/string"]),
        "/time",
        "A time from a string in RFC 3339, with `Z` or an offset. Anything else is an error.",
        "fn:time:parse_rfc3339(\"2024-03-01T01:59:58+02:00\")",
        EXAMPLE,
        parse,
    ),
    entry(
        "fn:time:year",
        ONE,
        "/number",
        "The year in UTC.",
        "fn:time:year(fn:time:parse_rfc3339(\"2024-02-29T23:59:58Z\"))",
        "2024",
        |cx, args| part(cx, args, |civil| civil.year),
    ),
    entry(
        "fn:time:month",
        ONE,
        "/number",
        "The month in UTC, from one.",
        "fn:time:month(fn:time:parse_rfc3339(\"2024-02-29T23:59:58Z\"))",
        "2",
        |cx, args| part(cx, args, |civil| civil.month),
    ),
    entry(
        "fn:time:day",
        ONE,
        "/number",
        "The day of the month in UTC, from one.",
        "fn:time:day(fn:time:parse_rfc3339(\"2024-02-29T23:59:58Z\"))",
        "29",
        |cx, args| part(cx, args, |civil| civil.day),
    ),
    entry(
        "fn:time:hour",
        ONE,
        "/number",
        "The hour in UTC.",
        "fn:time:hour(fn:time:parse_rfc3339(\"2024-02-29T23:59:58Z\"))",
        "23",
        |cx, args| part(cx, args, |civil| civil.hour),
    ),
    entry(
        "fn:time:minute",
        ONE,
        "/number",
        "The minute in UTC.",
        "fn:time:minute(fn:time:parse_rfc3339(\"2024-02-29T23:59:58Z\"))",
        "59",
        |cx, args| part(cx, args, |civil| civil.minute),
    ),
    entry(
        "fn:time:second",
        ONE,
        "/number",
        "The second in UTC.",
        "fn:time:second(fn:time:parse_rfc3339(\"2024-02-29T23:59:58Z\"))",
        "58",
        |cx, args| part(cx, args, |civil| civil.second),
    ),
    entry(
        "fn:time:from_unix_nanos",
        exactly(&["/number"]),
        "/time",
        "The time so many nanoseconds after 1970.",
        "fn:time:from_unix_nanos(1500000000)",
        "1970-01-01T00:00:01.5Z",
        from_nanos,
    ),
    entry(
        "fn:time:to_unix_nanos",
        ONE,
        "/number",
        "The nanoseconds from 1970 to a time.",
        "fn:time:to_unix_nanos(fn:time:from_unix_nanos(7))",
        "7",
        to_nanos,
    ),
    entry(
        "fn:time:from_nanos",
        exactly(&["/number"]),
        "/time",
        "The same as `fn:time:from_unix_nanos`.",
        "fn:time:from_nanos(0)",
        "1970-01-01T00:00:00Z",
        from_nanos,
    ),
    entry(
        "fn:time:to_nanos",
        ONE,
        "/number",
        "The same as `fn:time:to_unix_nanos`.",
        "fn:time:to_nanos(fn:time:from_nanos(7))",
        "7",
        to_nanos,
    ),
    entry(
        "fn:time:trunc",
        exactly(&["/time", "/name"]),
        "/time",
        "The start in UTC of the `/day`, `/hour`, `/minute`, `/second`, `/millisecond`, `/microsecond` or `/nanosecond` of a time.",
        "fn:time:trunc(fn:time:parse_rfc3339(\"2024-02-29T23:59:58Z\"), /hour)",
        "2024-02-29T23:00:00Z",
        truncate,
    ),
];

fn part(cx: &mut Context<'_>, args: &[Value], part: fn(Civil) -> i64) -> Result<Value, Fault> {
    let number = part(Civil::of(cx.time(args[0])?));
    Ok(cx.interner.number(number))
}

fn parse(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    let text = cx.string(args[0])?;
    let nanos = parse_rfc3339(text).ok_or_else(|| Fault::Text {
        wanted: "a time like `2024-02-29T23:59:58Z`",
        got: text.to_owned(),
    })?;
    Ok(cx.interner.time(nanos))
}

fn from_nanos(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    let nanos = cx.number(args[0])?;
    Ok(cx.interner.time(nanos))
}

fn to_nanos(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    let nanos = cx.time(args[0])?;
    Ok(cx.interner.number(nanos))
}

fn truncate(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    let nanos = cx.time(args[0])?;
    let unit = match cx.name(args[1])? {
        "/day" => 86_400_000_000_000,
        "/hour" => 3_600_000_000_000,
        "/minute" => 60_000_000_000,
        "/second" => 1_000_000_000,
        "/millisecond" => 1_000_000,
        "/microsecond" => 1_000,
        "/nanosecond" => 1,
        other => {
            return Err(Fault::Word {
                wanted: "a unit of time",
                got: other.to_owned(),
                known: "/day, /hour, /minute, /second, /millisecond, /microsecond, /nanosecond",
            });
        }
    };
    // The very first unit of the range may begin before it: then the time itself is the earliest value.
    let start = nanos.checked_sub(nanos.rem_euclid(unit)).unwrap_or(nanos);
    Ok(cx.interner.time(start))
}
