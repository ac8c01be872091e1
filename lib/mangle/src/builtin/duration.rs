//! Durations.

use super::{
    context::{Context, Fault},
    entry::{FunctionEntry, Params, entry, exactly},
};
use crate::value::{Value, parse_duration};

const ONE: Params = exactly(&["/duration"]);
const FROM: Params = exactly(&[".Union</number, /float64>"]);

const SECOND: f64 = 1e9;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    entry(
        "fn:duration:add",
        exactly(&["/duration", "/duration"]),
        "/duration",
        "The sum of two durations.",
        "fn:duration:add(fn:duration:parse(\"1h\"), fn:duration:parse(\"30m\"))",
        "1h30m0s",
        |cx, args| {
            let sum = cx.duration(args[0])?.wrapping_add(cx.duration(args[1])?);
            Ok(cx.interner.duration(sum))
        },
    ),
    entry(
        "fn:duration:mult",
        exactly(&["/duration", "/number"]),
        "/duration",
        "A duration so many times.",
        "fn:duration:mult(fn:duration:parse(\"20m\"), 3)",
        "1h0m0s",
        |cx, args| {
            let product = cx.duration(args[0])?.wrapping_mul(cx.number(args[1])?);
            Ok(cx.interner.duration(product))
        },
    ),
    entry(
        "fn:duration:hours",
        ONE,
        "/float64",
        "A duration in hours.",
        "fn:duration:hours(fn:duration:parse(\"90m\"))",
        "1.5",
        |cx, args| units(cx, args, 3_600_000_000_000),
    ),
    entry(
        "fn:duration:minutes",
        ONE,
        "/float64",
        "A duration in minutes.",
        "fn:duration:minutes(fn:duration:parse(\"90s\"))",
        "1.5",
        |cx, args| units(cx, args, 60_000_000_000),
    ),
    entry(
        "fn:duration:seconds",
        ONE,
        "/float64",
        "A duration in seconds.",
        "fn:duration:seconds(fn:duration:parse(\"1500ms\"))",
        "1.5",
        |cx, args| units(cx, args, 1_000_000_000),
    ),
    entry(
        "fn:duration:nanos",
        ONE,
        "/number",
        "A duration in nanoseconds.",
        "fn:duration:nanos(fn:duration:parse(\"1us\"))",
        "1000",
        |cx, args| {
            let nanos = cx.duration(args[0])?;
            Ok(cx.interner.number(nanos))
        },
    ),
    entry(
        "fn:duration:from_nanos",
        exactly(&["/number"]),
        "/duration",
        "So many nanoseconds.",
        "fn:duration:from_nanos(1500)",
        "1.5µs",
        |cx, args| {
            let nanos = cx.number(args[0])?;
            Ok(cx.interner.duration(nanos))
        },
    ),
    entry(
        "fn:duration:from_hours",
        FROM,
        "/duration",
        "So many hours.",
        "fn:duration:from_hours(1.5)",
        "1h30m0s",
        |cx, args| from(cx, args, 3_600.0 * SECOND),
    ),
    entry(
        "fn:duration:from_minutes",
        FROM,
        "/duration",
        "So many minutes.",
        "fn:duration:from_minutes(1.5)",
        "1m30s",
        |cx, args| from(cx, args, 60.0 * SECOND),
    ),
    entry(
        "fn:duration:from_seconds",
        FROM,
        "/duration",
        "So many seconds.",
        "fn:duration:from_seconds(1.5)",
        "1.5s",
        |cx, args| from(cx, args, SECOND),
    ),
    entry(
        "fn:duration:parse",
        exactly(&["/string"]),
        "/duration",
        "A duration from a string of numbers with units (`h`, `m`, `s`, `ms`, `us`, `ns`), such as \"1h30m\". Anything else is an error.",
        "fn:duration:parse(\"1h30m\")",
        "1h30m0s",
        parse,
    ),
];

fn units(cx: &mut Context<'_>, args: &[Value], unit: i64) -> Result<Value, Fault> {
    let nanos = cx.duration(args[0])?;
    // Whole units and the rest are computed separately, so that large durations keep their fraction.
    let units = (nanos / unit) as f64 + (nanos % unit) as f64 / unit as f64;
    Ok(cx.interner.float(units))
}

fn from(cx: &mut Context<'_>, args: &[Value], unit: f64) -> Result<Value, Fault> {
    // A cast of a float saturates: a value that is too long becomes the longest duration.
    let nanos = (cx.float(args[0])? * unit) as i64;
    Ok(cx.interner.duration(nanos))
}

fn parse(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    let text = cx.string(args[0])?;
    let nanos = parse_duration(text).ok_or_else(|| Fault::Text {
        wanted: "a duration like `1h30m`",
        got: text.to_owned(),
    })?;
    Ok(cx.interner.duration(nanos))
}
