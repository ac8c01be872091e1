//! Computed relations: comparisons, patterns over compound values, and the positions of intervals to each other.

use super::{
    context::{Context, Fault},
    entry::{Example, Params, RelationEntry, exactly},
};
use crate::{
    program::{
        Interval,
        Mode::{self, Any, In, Out},
    },
    value::{Value, View},
};

/// The answers of a relation: a row of its output arguments for each way in which it holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    rows: Vec<Value>,
    count: usize,
}

impl Answers {
    /// Removes all rows, for reuse.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.count = 0;
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Returns the outputs of one row.
    pub(crate) fn row(&self, at: usize) -> &[Value] {
        let width = self.rows.len().checked_div(self.count).unwrap_or(0);
        &self.rows[at * width..(at + 1) * width]
    }

    fn holds(&mut self, holds: bool) {
        self.count += usize::from(holds);
    }

    fn give(&mut self, outputs: &[Value]) {
        self.rows.extend_from_slice(outputs);
        self.count += 1;
    }
}

type Eval = fn(&mut Context<'_>, &[Value], &mut Answers) -> Result<(), Fault>;

const fn relation(
    name: &'static str,
    params: Params,
    modes: &'static [Mode],
    doc: &'static str,
    write: &'static str,
    get: &'static str,
    eval: Eval,
) -> RelationEntry {
    RelationEntry {
        name,
        params,
        modes,
        doc,
        example: Example { write, get },
        eval,
    }
}

const TWO: &[Mode] = &[In, In];
const NUMBERS: Params = exactly(&["/number", "/number"]);
const TIMES: Params = exactly(&["/time", "/time"]);
const DURATIONS: Params = exactly(&["/duration", "/duration"]);
const STRINGS: Params = exactly(&["/string", "/string"]);
/// The type of an interval: of times, or of nanoseconds since 1970 as in the public engine.
const INTERVAL: &str = ".Pair<.Union</time, /number>, .Union</time, /number>>";
const INTERVALS: Params = exactly(&[INTERVAL, INTERVAL]);

pub(super) const RELATIONS: &[RelationEntry] = &[
    relation(
        ":lt",
        NUMBERS,
        TWO,
        "The first number is smaller than the second; the same as `X < Y`.",
        "X = 1, :lt(X, 2)",
        "X = 1",
        |cx, args, out| {
            out.holds(cx.number(args[0])? < cx.number(args[1])?);
            Ok(())
        },
    ),
    relation(
        ":le",
        NUMBERS,
        TWO,
        "The first number is not larger than the second; the same as `X <= Y`.",
        "X = 1, :le(X, 2)",
        "X = 1",
        |cx, args, out| {
            out.holds(cx.number(args[0])? <= cx.number(args[1])?);
            Ok(())
        },
    ),
    relation(
        ":gt",
        NUMBERS,
        TWO,
        "The first number is larger than the second; the same as `X > Y`.",
        "X = 1, :gt(X, 2)",
        "no",
        |cx, args, out| {
            out.holds(cx.number(args[0])? > cx.number(args[1])?);
            Ok(())
        },
    ),
    relation(
        ":ge",
        NUMBERS,
        TWO,
        "The first number is not smaller than the second; the same as `X >= Y`.",
        "X = 1, :ge(X, 2)",
        "no",
        |cx, args, out| {
            out.holds(cx.number(args[0])? >= cx.number(args[1])?);
            Ok(())
        },
    ),
    relation(
        ":time:lt",
        TIMES,
        TWO,
        "The first time is before the second.",
        "D = 1, :time:lt(fn:time:from_unix_nanos(0), fn:time:from_unix_nanos(9))",
        "D = 1",
        |cx, args, out| {
            out.holds(cx.time(args[0])? < cx.time(args[1])?);
            Ok(())
        },
    ),
    relation(
        ":time:le",
        TIMES,
        TWO,
        "The first time is not after the second.",
        "D = 1, :time:le(fn:time:from_unix_nanos(0), fn:time:from_unix_nanos(9))",
        "D = 1",
        |cx, args, out| {
            out.holds(cx.time(args[0])? <= cx.time(args[1])?);
            Ok(())
        },
    ),
    relation(
        ":time:gt",
        TIMES,
        TWO,
        "The first time is after the second.",
        "D = 1, :time:gt(fn:time:from_unix_nanos(0), fn:time:from_unix_nanos(9))",
        "no",
        |cx, args, out| {
            out.holds(cx.time(args[0])? > cx.time(args[1])?);
            Ok(())
        },
    ),
    relation(
        ":time:ge",
        TIMES,
        TWO,
        "The first time is not before the second.",
        "D = 1, :time:ge(fn:time:from_unix_nanos(0), fn:time:from_unix_nanos(9))",
        "no",
        |cx, args, out| {
            out.holds(cx.time(args[0])? >= cx.time(args[1])?);
            Ok(())
        },
    ),
    relation(
        ":duration:lt",
        DURATIONS,
        TWO,
        "The first duration is shorter than the second.",
        "D = 1, :duration:lt(fn:duration:parse(\"1h\"), fn:duration:parse(\"2h\"))",
        "D = 1",
        |cx, args, out| {
            out.holds(cx.duration(args[0])? < cx.duration(args[1])?);
            Ok(())
        },
    ),
    relation(
        ":duration:le",
        DURATIONS,
        TWO,
        "The first duration is not longer than the second.",
        "D = 1, :duration:le(fn:duration:parse(\"1h\"), fn:duration:parse(\"2h\"))",
        "D = 1",
        |cx, args, out| {
            out.holds(cx.duration(args[0])? <= cx.duration(args[1])?);
            Ok(())
        },
    ),
    relation(
        ":duration:gt",
        DURATIONS,
        TWO,
        "The first duration is longer than the second.",
        "D = 1, :duration:gt(fn:duration:parse(\"1h\"), fn:duration:parse(\"2h\"))",
        "no",
        |cx, args, out| {
            out.holds(cx.duration(args[0])? > cx.duration(args[1])?);
            Ok(())
        },
    ),
    relation(
        ":duration:ge",
        DURATIONS,
        TWO,
        "The first duration is not shorter than the second.",
        "D = 1, :duration:ge(fn:duration:parse(\"1h\"), fn:duration:parse(\"2h\"))",
        "no",
        |cx, args, out| {
            out.holds(cx.duration(args[0])? >= cx.duration(args[1])?);
            Ok(())
        },
    ),
    relation(
        ":within_distance",
        exactly(&["/number", "/number", "/number"]),
        &[In, In, In],
        "The first two numbers are less than the third apart.",
        "X = 5, :within_distance(X, 7, 3)",
        "X = 5",
        within_distance,
    ),
    relation(
        ":match_prefix",
        exactly(&["/any", "/name"]),
        TWO,
        "The first is a name that begins with the second and is longer.",
        "X = /tool/fs, :match_prefix(X, /tool)",
        "X = /tool/fs",
        match_prefix,
    ),
    relation(
        ":string:starts_with",
        STRINGS,
        TWO,
        "The first string begins with the second.",
        "X = \"abc\", :string:starts_with(X, \"ab\")",
        "X = \"abc\"",
        |cx, args, out| strings(cx, args, out, |text, part| text.starts_with(part)),
    ),
    relation(
        ":string:ends_with",
        STRINGS,
        TWO,
        "The first string ends with the second.",
        "X = \"abc\", :string:ends_with(X, \"bc\")",
        "X = \"abc\"",
        |cx, args, out| strings(cx, args, out, |text, part| text.ends_with(part)),
    ),
    relation(
        ":string:contains",
        STRINGS,
        TWO,
        "The second string occurs in the first.",
        "X = \"abc\", :string:contains(X, \"b\")",
        "X = \"abc\"",
        |cx, args, out| strings(cx, args, out, |text, part| text.contains(part)),
    ),
    relation(
        ":filter",
        exactly(&["/any"]),
        &[In],
        "The value is `/true`.",
        "X = 1, :filter(fn:list:contains([1, 2], X))",
        "X = 1",
        |cx, args, out| {
            out.holds(matches!(cx.interner.view(args[0]), View::Name("/true")));
            Ok(())
        },
    ),
    relation(
        ":list:member",
        exactly(&["X", ".List<X>"]),
        &[Any, In],
        "The first is an item of the list; it gets each of them in turn if it has no value.",
        ":list:member(X, [7, 8])",
        "X = 7; X = 8",
        member,
    ),
    relation(
        ":match_nil",
        exactly(&[".List<X>"]),
        &[In],
        "The list is empty.",
        "X = [], :match_nil(X)",
        "X = []",
        |cx, args, out| {
            out.holds(matches!(cx.interner.view(args[0]), View::List(items) if items.is_empty()));
            Ok(())
        },
    ),
    relation(
        ":match_cons",
        exactly(&[".List<X>", "X", ".List<X>"]),
        &[In, Out, Out],
        "The list has a first item and a rest.",
        ":match_cons([7, 8, 9], H, T)",
        "H = 7, T = [8, 9]",
        match_cons,
    ),
    relation(
        ":match_pair",
        exactly(&[".Pair<X, Y>", "X", "Y"]),
        &[In, Out, Out],
        "The first is a pair of the second and the third.",
        ":match_pair(fn:pair(1, /a), X, Y)",
        "X = 1, Y = /a",
        |cx, args, out| {
            if let View::Pair(first, second) = cx.interner.view(args[0]) {
                out.give(&[first, second]);
            }
            Ok(())
        },
    ),
    relation(
        ":match_entry",
        exactly(&["/any", "/any", "/any"]),
        &[In, In, Out],
        "The map has the key, with the third as its value.",
        ":match_entry([/k : 1, /l : 2], /k, X)",
        "X = 1",
        |cx, args, out| {
            if let View::Map(entries) = cx.interner.view(args[0]) {
                entries.get(args[1]).iter().for_each(|value| out.give(&[*value]));
            }
            Ok(())
        },
    ),
    relation(
        ":match_field",
        exactly(&["/any", "/name", "/any"]),
        &[In, In, Out],
        "The struct has the field, with the third as its value.",
        ":match_field({/x : 1, /y : 2}, /y, X)",
        "X = 2",
        |cx, args, out| {
            if let View::Struct(fields) = cx.interner.view(args[0]) {
                fields.get(args[1]).iter().for_each(|value| out.give(&[*value]));
            }
            Ok(())
        },
    ),
    relation(
        ":interval:before",
        INTERVALS,
        TWO,
        "The first interval ends before the second starts.",
        "D = 1, :interval:before(fn:pair(0, 4), fn:pair(5, 9))",
        "D = 1",
        |cx, args, out| intervals(cx, args, out, |a, b| a.end < b.start),
    ),
    relation(
        ":interval:after",
        INTERVALS,
        TWO,
        "The first interval starts after the second ends.",
        "D = 1, :interval:after(fn:pair(5, 9), fn:pair(0, 4))",
        "D = 1",
        |cx, args, out| intervals(cx, args, out, |a, b| a.start > b.end),
    ),
    relation(
        ":interval:meets",
        INTERVALS,
        TWO,
        "The first interval ends at the instant at which the second starts.",
        "D = 1, :interval:meets(fn:pair(0, 5), fn:pair(5, 9))",
        "D = 1",
        |cx, args, out| intervals(cx, args, out, |a, b| a.end == b.start),
    ),
    relation(
        ":interval:overlaps",
        INTERVALS,
        TWO,
        "The intervals share an instant.",
        "D = 1, :interval:overlaps(fn:pair(0, 5), fn:pair(3, 9))",
        "D = 1",
        |cx, args, out| intervals(cx, args, out, |a, b| a.overlaps(b)),
    ),
    relation(
        ":interval:during",
        INTERVALS,
        TWO,
        "The first interval lies within the second.",
        "D = 1, :interval:during(fn:pair(3, 5), fn:pair(0, 9))",
        "D = 1",
        |cx, args, out| intervals(cx, args, out, |a, b| b.contains(a)),
    ),
    relation(
        ":interval:contains",
        INTERVALS,
        TWO,
        "The second interval lies within the first.",
        "D = 1, :interval:contains(fn:pair(0, 9), fn:pair(3, 5))",
        "D = 1",
        |cx, args, out| intervals(cx, args, out, |a, b| a.contains(b)),
    ),
    relation(
        ":interval:starts",
        INTERVALS,
        TWO,
        "The intervals start together.",
        "D = 1, :interval:starts(fn:pair(0, 5), fn:pair(0, 9))",
        "D = 1",
        |cx, args, out| intervals(cx, args, out, |a, b| a.start == b.start),
    ),
    relation(
        ":interval:finishes",
        INTERVALS,
        TWO,
        "The intervals end together.",
        "D = 1, :interval:finishes(fn:pair(3, 9), fn:pair(0, 9))",
        "D = 1",
        |cx, args, out| intervals(cx, args, out, |a, b| a.end == b.end),
    ),
    relation(
        ":interval:equals",
        INTERVALS,
        TWO,
        "The intervals are the same.",
        "D = 1, :interval:equals(fn:pair(0, 9), fn:pair(0, 9))",
        "D = 1",
        |cx, args, out| intervals(cx, args, out, |a, b| a == b),
    ),
];

fn within_distance(cx: &mut Context<'_>, args: &[Value], out: &mut Answers) -> Result<(), Fault> {
    let distance = i128::from(cx.number(args[0])?) - i128::from(cx.number(args[1])?);
    out.holds(distance.abs() < i128::from(cx.number(args[2])?));
    Ok(())
}

fn match_prefix(cx: &mut Context<'_>, args: &[Value], out: &mut Answers) -> Result<(), Fault> {
    let prefix = cx.name(args[1])?;
    if let View::Name(name) = cx.interner.view(args[0]) {
        out.holds(name.len() > prefix.len() && name.starts_with(prefix));
    }
    Ok(())
}

/// Compares strings with `holds`. A left value that is not a string does not satisfy the relation.
fn strings(cx: &mut Context<'_>, args: &[Value], out: &mut Answers, holds: fn(&str, &str) -> bool) -> Result<(), Fault> {
    let part = cx.string(args[1])?;
    if let View::String(text) = cx.interner.view(args[0]) {
        out.holds(holds(text, part));
    }
    Ok(())
}

fn member(cx: &mut Context<'_>, args: &[Value], out: &mut Answers) -> Result<(), Fault> {
    if let View::List(items) = cx.interner.view(args[1]) {
        items.iter().for_each(|item| out.give(&[item]));
    }
    Ok(())
}

fn match_cons(cx: &mut Context<'_>, args: &[Value], out: &mut Answers) -> Result<(), Fault> {
    let View::List(items) = cx.interner.view(args[0]) else {
        return Ok(());
    };
    let items: Vec<Value> = items.iter().collect();
    if let Some((first, rest)) = items.split_first() {
        let rest = cx.interner.list(rest);
        out.give(&[*first, rest]);
    }
    Ok(())
}

fn intervals(cx: &mut Context<'_>, args: &[Value], out: &mut Answers, holds: fn(Interval, Interval) -> bool) -> Result<(), Fault> {
    let interval = |(start, end)| Interval { start, end };
    let (a, b) = (interval(cx.interval(args[0])?), interval(cx.interval(args[1])?));
    out.holds(holds(a, b));
    Ok(())
}
