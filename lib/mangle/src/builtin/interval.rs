//! Intervals as values: pairs of times, or of numbers of nanoseconds.

use super::{
    context::{Context, Fault},
    entry::{FunctionEntry, entry, exactly},
};
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    entry(
        "fn:interval:start",
        exactly(&[".Pair<X, Y>"]),
        "X",
        "The first instant of an interval: of a pair of times, or of numbers of nanoseconds.",
        "fn:interval:start(fn:pair(fn:time:from_unix_nanos(0), fn:time:from_unix_nanos(9)))",
        "1970-01-01T00:00:00Z",
        |cx, args| Ok(cx.pair(args[0])?.0),
    ),
    entry(
        "fn:interval:end",
        exactly(&[".Pair<X, Y>"]),
        "Y",
        "The last instant of an interval: of a pair of times, or of numbers of nanoseconds.",
        "fn:interval:end(fn:pair(fn:time:from_unix_nanos(0), fn:time:from_unix_nanos(9)))",
        "1970-01-01T00:00:00.000000009Z",
        |cx, args| Ok(cx.pair(args[0])?.1),
    ),
    entry(
        "fn:interval:duration",
        exactly(&[".Pair</time, /time>"]),
        "/duration",
        "How long an interval is. One without a bound on both sides is an error.",
        "fn:interval:duration(fn:pair(fn:time:from_unix_nanos(0), fn:time:from_unix_nanos(9)))",
        "9ns",
        duration,
    ),
];

fn duration(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    let (start, end) = cx.interval(args[0])?;
    if start == i64::MIN || end == i64::MAX {
        return Err(Fault::Range("a duration: the interval has no bound on one side"));
    }
    let nanos = end
        .checked_sub(start)
        .ok_or(Fault::Range("a duration: it has more than 64 bits of nanoseconds"))?;
    Ok(cx.interner.duration(nanos))
}
